import { canonicalJson, type JsonValue } from '../../contract/json/json.js';
import { pythonText, readLiteral, readQuoted } from '../specifications/python-literal.js';

/**
 * Whether a value is what a step says: quoted text is compared as text; True, None, numbers, lists and objects as
 * what they are, and anything else as text.
 */
export function isExpected(actual: JsonValue, expected: string): boolean {
  const quoted = readQuoted(expected);
  if (quoted !== null) return textsOf(actual).includes(quoted);
  const literal = /^(true|false)$/i.test(expected.trim())
    ? expected.trim().toLowerCase() === 'true'
    : readLiteral(expected);
  if (literal === undefined) return asText(actual) === expected.trim();
  if (typeof literal === 'number' && typeof actual === 'string' && actual.trim() !== '')
    return Number(actual) === literal;
  if (typeof actual === 'string') return actual === asText(literal) || actual === expected.trim();
  return canonicalJson(actual) === canonicalJson(literal);
}

/** A value as texts that are compared with it may write it: as JSON, and as Python does. */
export function textsOf(value: JsonValue): string[] {
  return [asText(value), pythonText(value)];
}

/** A value as steps show it. */
export function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is said where it isn't; null where it is. */
export function differs(what: string, actual: JsonValue, expected: string): string | null {
  return isExpected(actual, expected) ? null : `${what} is ${shortJson(actual)}, expected ${expected}`;
}

/** A value within a message. */
export function shortJson(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

/** The text between the quotes, or as it stands. */
export function unquoted(given: string): string {
  return readQuoted(given) ?? given;
}

/**
 * How alike two texts are, from 0 to 1: twice the length of what they have in common, found as Ratcliff and Obershelp
 * do (the longest common part, and the same again on both sides of it), over the length of both.
 */
export function similarity(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const length = left.length + right.length;
  return length === 0 ? 1 : (2 * matching(left, right)) / length;
}

/** As far as reading aloud goes: in lower case, without punctuation, and one blank between words. */
function normalized(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\s]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Like `similarity`, for texts that people wrote: one that holds the other is as good as equal. */
export function looseSimilarity(actual: string, expected: string): number {
  const [a, b] = [normalized(actual), normalized(expected)];
  if (b !== '' && a !== '' && (a.includes(b) || b.includes(a))) return 1;
  return similarity(a, b);
}

function matching(a: readonly string[], b: readonly string[]): number {
  const { length, from, to } = longestCommon(a, b);
  if (length === 0) return 0;
  return (
    length +
    matching(a.slice(0, from), b.slice(0, to)) +
    matching(a.slice(from + length), b.slice(to + length))
  );
}

function longestCommon(
  a: readonly string[],
  b: readonly string[],
): { length: number; from: number; to: number } {
  let best = { length: 0, from: 0, to: 0 };
  let above: number[] = [];
  for (let i = 0; i < a.length; i++) {
    const row: number[] = [];
    for (let j = 0; j < b.length; j++) {
      const length = a[i] === b[j] ? (above[j - 1] ?? 0) + 1 : 0;
      row.push(length);
      if (length > best.length) best = { length, from: i - length + 1, to: j - length + 1 };
    }
    above = row;
  }
  return best;
}
