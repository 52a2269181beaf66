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
  return isExpected(actual, expected) ? null : `${what} is ${shown(actual)}, expected ${expected}`;
}

/** A value within a message. */
export function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

/** The text between the quotes, or as it stands. */
export function unquoted(given: string): string {
  return readQuoted(given) ?? given;
}
