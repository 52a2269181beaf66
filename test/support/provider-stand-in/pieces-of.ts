/** The text a few letters at a time, as models write; a long one in at most some 300 pieces. */
export function piecesOf(text: string): string[] {
  const length = Math.max(8, Math.ceil(text.length / 300));
  return text.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? [];
}
