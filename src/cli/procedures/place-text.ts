import type { RunError } from '../../contract/errors.js';

/** ` (file:line)` after a message that doesn't say where it is about; else nothing. */
export function placeText({ message, file, line }: Pick<RunError, 'message' | 'file' | 'line'>): string {
  if (file === null) return '';
  if (line === null) return message.includes(file) ? '' : ` (${file})`;
  return message.includes(`${file}:`) ? '' : ` (${file}:${line})`;
}
