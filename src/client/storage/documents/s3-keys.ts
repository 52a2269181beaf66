import { digestOf, shortenedKey } from './digest.js';

/** So many characters of an id are in a key; of longer ones their digest is, too. A key has 1,024 bytes at most. */
const longest = 600;
const longestStatus = 120;
const digestLength = 64;

/**
 * An id as part of a key, of ASCII that every server takes, without slashes and dots by themselves. Order and beginnings stay what
 * they were, but for that of ids that are too long.
 */
export function toKey(id: string): string {
  const key = escaped(id);
  return isTooLong(key) ? `${key.slice(0, longest)}~~${digestOf(id)}` : key;
}

/** The id in a key; null of one that was too long for it. */
export function fromKey(key: string): string | null {
  if (isCut(key)) return null;
  return key.replace(
    /!(?<low>..)|\.(?<dot>[ef])|~(?<high>.{6})/g,
    (_, low: string | undefined, dot: string | undefined, high: string | undefined) =>
      String.fromCodePoint(Number.parseInt(low ?? high ?? `2${dot}`, 16)),
  );
}

/** How all keys of ids begin that begin with this; some may begin otherwise where it is long. */
export function keyPrefix(prefix: string): string {
  return escaped(prefix).slice(0, longest);
}

/** What all keys of ids up to this one come before, or are: of ids that are as long, some behind it may. */
export function keyAfter(id: string): string {
  const key = escaped(id);
  return isTooLong(key) ? key.slice(0, longest) : `${key}${separator}~`;
}

/** What comes between the key of an id and what isn't part of it: before all that an id may go on with. */
export const separator = '!!';

/** The beginning that a key of a long id shares with others, in whatever order; null of any other. */
export function sharedBeginning(key: string): string | null {
  return isCut(key) ? key.slice(0, longest) : null;
}

export function statusKey(status: string): string {
  return shortenedKey(escaped(status), longestStatus);
}

function isTooLong(key: string): boolean {
  return key.length > longest;
}

function isCut(key: string): boolean {
  return key.length === longest + 2 + digestLength && key.slice(longest).startsWith('~~');
}

/** In the order of characters: `!` and two digits up to `!`, `.e` and `.f` for `.` and `/`, `~` and six digits from `~` on. */
function escaped(text: string): string {
  return text.replace(/[^"-\-0-}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '.' || character === '/') return `.${code.toString(16).slice(1)}`;
    return code < 0x22 ? `!${code.toString(16).padStart(2, '0')}` : `~${code.toString(16).padStart(6, '0')}`;
  });
}
