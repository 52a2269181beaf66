import { TactusError } from '../contract/errors.js';
import type { IndexPage } from './run-index.js';
import type { SqlRow } from './sql-connection.js';

/** @throws TactusError usage */
export function checkedLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new TactusError('usage', `A page has a whole number of at least 1, not ${limit}`);
}

export function page<T>(
  rows: readonly SqlRow[],
  limit: number,
  toItem: (row: SqlRow) => T,
  keys: readonly string[],
): IndexPage<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return {
    items: shown.map(toItem),
    next: isMore ? placeText(keys.map((key) => String(last[key]))) : null,
  };
}

/** Where a page ended, as a text to go on from. */
function placeText(keys: readonly string[]): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url');
}

/** @throws TactusError usage */
export function readPlace(token: string, length: number): string[] {
  try {
    const keys: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(keys) && keys.length === length && keys.every((key) => typeof key === 'string'))
      return keys;
  } catch {
    // Said below.
  }
  throw new TactusError('usage', `${token} is no place in this list: take the \`next\` of the page before`);
}
