import { ApplicationFailure, executeChild, ParentClosePolicy, workflowInfo } from '@temporalio/workflow';
import type { tactus, StartInput } from '../../src/workflow.js';

/** Workflows of somebody who uses the plugin; ours isn't among them. */

export async function twice(start: unknown): Promise<unknown[]> {
  return Promise.all([executeChild('tactus', { args: [start] }), executeChild('tactus', { args: [start] })]);
}

/** The example of docs/package.md, with a source that its caller gives. */
export async function refundOrder(source: StartInput, order: string, amount: number): Promise<boolean> {
  const start: StartInput = { ...source, input: { order, amount } };
  const output = await executeChild<typeof tactus>('tactus', {
    args: [start],
    workflowId: `${workflowInfo().workflowId}/refund`,
    parentClosePolicy: ParentClosePolicy.ABANDON,
  });
  if (typeof output !== 'object' || output === null || !('refunded' in output))
    throw ApplicationFailure.nonRetryable('the procedure gave no answer');
  return output['refunded'] === true;
}

export async function echo(text: string): Promise<string> {
  return text;
}

/** For types that nobody has a workflow of. */
// eslint-disable-next-line import-x/no-default-export -- by this name Temporal looks for it
export default async function other(): Promise<string> {
  return 'the default';
}
