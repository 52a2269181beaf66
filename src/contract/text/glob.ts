/**
 * Whether the whole of a text follows a pattern, in which `*` stands for any characters. Takes time in proportion to the
 * product of both lengths at most: patterns and texts come from different hands, models among them.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  /** The last `*`, and where the text continued after what it stood for. */
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

/** The pattern that fits one of several names best: a name itself wins over a pattern, and a longer pattern over a shorter one. */
export function closestPattern(patterns: readonly string[], names: readonly string[]): string | undefined {
  const rank = (pattern: string): number => (names.includes(pattern) ? Infinity : pattern.length);
  return patterns
    .filter((pattern) => names.some((name) => matchesGlob(pattern, name)))
    .reduce<string | undefined>(
      (best, each) => (best !== undefined && rank(best) >= rank(each) ? best : each),
      undefined,
    );
}
