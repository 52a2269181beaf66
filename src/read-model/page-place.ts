import { TactusError } from '../contract/errors.js';

/** Where a page ended, as a text to go on from. */
export function placeText(keys: readonly string[]): string {
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
