import { defaultLimits } from '../runs/limits.js';
import type { JsonValue } from './json.js';

type Reviver = (key: string, value: unknown) => unknown;

type OfNumber = (value: number, source: string) => number | string;

/** Sixteen digits in a row, or an exponent of three: what has neither is held as it is written. More may match, in texts for instance. */
const mayBeInexact = /\d{16}|e\+?\d{3}/i;

const byteOrderMark = /^\uFEFF/;

/**
 * The value that a JSON text from outside stands for. JavaScript rounds integers past 2^53: they
 * become the text of their digits, so that two orders never become one. A byte order mark, which some editors write, is no
 * part of the text.
 * @throws SyntaxError where it is no JSON; RangeError where a number is larger than any, or it is nested too deep
 */
export function readJson(text: string): JsonValue {
  const bare = text.replace(byteOrderMark, '');
  if (!mayBeInexact.test(bare)) return JSON.parse(bare) as JsonValue;
  return withNumbers(bare, (value, source) => (isExact(value, source) ? finite(value, source) : source));
}

/**
 * The same for texts that identify something: a number that isn't an integer is the text that was written, too. `1.10`
 * and `1.1` are two ids.
 */
export function readIdentities(text: string): JsonValue {
  return withNumbers(text.replace(byteOrderMark, ''), (value, source) =>
    Number.isSafeInteger(value) && /^-?\d+(\.0+)?$/.test(source) ? value + 0 : source,
  );
}

/** JSON whose numbers any reader holds exactly: the same text, unless `readJson` finds other numbers in it than `JSON.parse`. */
export function exactText(text: string): string {
  if (!mayBeInexact.test(text)) return text;
  let isSame = true;
  const read = withNumbers(text.replace(byteOrderMark, ''), (value, source) => {
    if (isExact(value, source)) return finite(value, source);
    isSame = false;
    return source;
  });
  return isSame ? text : JSON.stringify(read);
}

/** Whether a number is what was written; a fraction is rounded as everywhere. */
export function isExact(value: number, source: string): boolean {
  return Number.isSafeInteger(value) || /[.e]/i.test(source);
}

/** `1e400` is no number that JSON could be written with again. */
function finite(value: number, source: string): number {
  if (Number.isFinite(value)) return value;
  throw new RangeError(`the number ${source} is too large`);
}

function withNumbers(text: string, ofNumber: OfNumber): JsonValue {
  const revive = (_: string, value: unknown, { source = '' }: { source?: string }): unknown =>
    typeof value === 'number' ? ofNumber(value, source) : value;
  // The third argument is of ES2025, which the types don't know yet.
  return JSON.parse(text, revive as Reviver) as JsonValue;
}

/** Whether a value from outside is JSON of plain objects, no deeper than what crosses into Lua. */
export function isJson(value: unknown, depth = defaultLimits.depth): value is JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0) return false;
  // `Array.from` shows the holes of an array, which are not JSON either.
  if (Array.isArray(value)) return Array.from(value).every((item) => isJson(item, depth - 1));
  return isPlain(value) && Object.values(value).every((member) => isJson(member, depth - 1));
}

/** Objects of another realm are plain too: compares no prototype by identity. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
