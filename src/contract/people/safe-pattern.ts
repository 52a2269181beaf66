/** Longest text that a pattern is tried on, in UTF-16 units. */
export const longestMatched = 200;

/** Places at which a match may go on in several ways; so many at most, on texts of that length, end in no time. */
const mostChoices = 3;

/**
 * Why a regular expression may run for ever, or isn't one; null where it is safe. JavaScript can't stop a match, and a
 * run that never ends its turn is tried again for ever. Refused is what repeats a group, and what has many choices.
 */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > longestMatched) return `is longer than ${longestMatched} characters`;
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  // Escapes, classes and the openings of groups stand for one thing each.
  const plain = pattern
    .replace(/\\(?:[pPu]\{[^}]*\}|k<[^>]*>|[^])/g, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/g, '(');
  if (/\)(?:[*+]|\{)/.test(plain)) return 'repeats a group, and might run for ever';
  const [first = ''] = plain;
  const repeats = plain.replace(/\{\d+\}/g, '').match(/[*+?]|\{\d+,\d*\}/g)?.length ?? 0;
  const lazy = plain.match(/[*+?}]\?/g)?.length ?? 0;
  const groups = plain.split(/[()]/).filter((part) => part.includes('|')).length;
  const choices = repeats - lazy + groups + (first === '^' ? 0 : 1);
  const tooMany = choices > mostChoices || hasLongRepeat(plain);
  return tooMany ? 'has more repetitions and alternatives than can be tried in no time' : null;
}

function hasLongRepeat(plain: string): boolean {
  return Array.from(plain.matchAll(/\{(\d+)/g), ([, count]) => Number(count)).some((n) => n > longestMatched);
}
