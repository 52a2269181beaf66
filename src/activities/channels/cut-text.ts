import { plainText } from '../../contract/plain-text.js';
import { wellFormed } from '../well-formed.js';

/** Text that somebody else has written, with nothing in it that is obeyed, and as long as there is room; what was cut says so. */
export function cutText(text: string, longest: number): string {
  const plain = wellFormed(plainText(text));
  if (plain.length <= longest) return plain;
  const note = `… (cut: ${plain.length} characters in all)`;
  return `${wellFormed(plain.slice(0, longest - note.length)).replace(/\ufffd$/, '')}${note}`;
}
