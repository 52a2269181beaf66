import { createHash } from 'node:crypto';

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A text as part of a key: of one that is longer, its beginning and its digest. `most`: bytes in UTF-8. */
export function shortenedKey(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const digest = digestOf(text);
  const characters = Math.floor((most - digest.length - 1) / 4);
  return `${[...text.slice(0, characters * 2)].slice(0, characters).join('')}~${digest}`;
}
