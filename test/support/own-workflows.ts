import { executeChild } from '@temporalio/workflow';

/** Workflows of somebody who uses the plugin; ours isn't among them. */

export async function twice(start: unknown): Promise<unknown[]> {
  return Promise.all([executeChild('tactus', { args: [start] }), executeChild('tactus', { args: [start] })]);
}

export async function echo(text: string): Promise<string> {
  return text;
}

/** For types that nobody has a workflow of. */
// eslint-disable-next-line import-x/no-default-export -- by this name Temporal looks for it
export default async function other(): Promise<string> {
  return 'the default';
}
