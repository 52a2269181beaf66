/** The text with U+FFFD in place of halves of characters, as which it can be encoded. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
