import { plainText } from '../../../contract/text/plain-text.js';
import { wellFormed } from '../../text/well-formed.js';

/** Ends of lines that programs for mail and chats show as such, and that look like any other character to those who look for line feeds. */
// eslint-disable-next-line no-control-regex -- the very characters that are replaced
const otherEnds = /[\u2028\u2029\u0085\u000b\u000c]/g;

/** Text that somebody else has written, with nothing in it that is obeyed, and as long as there is room; what was cut says so. */
export function cutText(text: string, longest: number): string {
  const plain = wellFormed(plainText(text.replace(otherEnds, '\n')));
  if (plain.length <= longest) return plain;
  const note = `… (cut: ${plain.length} characters in all)`;
  return `${wellFormed(plain.slice(0, longest - note.length)).replace(/\ufffd$/, '')}${note}`;
}

/** The same in one line: what stands in a header, or beside what it is called, can't begin a line of its own. */
export function oneLine(text: string, longest: number): string {
  return cutText(text.replace(/[\s\u0085]+/g, ' ').trim(), longest);
}
