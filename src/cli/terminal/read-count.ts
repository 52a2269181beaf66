import { TactusError } from '../../contract/errors.js';

/** A flag's number of things, one or more. @throws TactusError usage */
export function readCount(text: string, flag: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new TactusError('usage', `${flag} takes a positive integer, not ${text}`);
  return count;
}
