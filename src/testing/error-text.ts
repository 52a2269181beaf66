import type { RunError } from '../contract/errors.js';

/** What a run failed with, with its place where the message doesn't say it. */
export function errorText({ message, file, line }: RunError): string {
  return file === null || message.includes(`${file}:`) ? message : `${file}:${line ?? '?'}: ${message}`;
}
