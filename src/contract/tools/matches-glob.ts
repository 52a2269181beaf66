/**
 * Whether a text is as a pattern with `*` for any characters says, the whole of it. Takes time in proportion to the
 * product of both lengths at most: patterns and texts come from different hands.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  /** The last `*`, and where the text went on after what it stood for. */
  let star = -1;
  let resumed = 0;
  while (from < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      resumed = from;
    } else if (at < pattern.length && pattern[at] === text[from]) {
      at++;
      from++;
    } else if (star >= 0) {
      at = star + 1;
      from = ++resumed;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
