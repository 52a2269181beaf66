import { raise, type LuaState } from '../vm/fengari.js';

/** What stands between `%` and the letter of a conversion, as text and read. */
export interface Spec {
  /** With the `%` and the letter. */
  text: string;
  left: boolean;
  plus: boolean;
  space: boolean;
  alternate: boolean;
  zero: boolean;
  width: number;
  precision: number | null;
}

/** Longest run of flags, width and precision that Lua reads. */
const longest = 21;
const flagLetters = '-+ #0';

/** Reads the conversion after the `%` before `start`. What it may have is known only by its letter. */
export function readSpec(L: LuaState, pattern: Uint8Array, start: number): { spec: Spec; end: number } {
  let text = '%';
  let end = start;
  for (; end < pattern.length && end - start < longest && isModifier(pattern[end] ?? 0); end++)
    text += String.fromCharCode(pattern[end] ?? 0);
  if (end - start >= longest) return raise(L, "invalid format string to 'format'");
  if (end < pattern.length) text += String.fromCharCode(pattern[end] ?? 0);
  const spec: Spec = {
    text,
    left: false,
    plus: false,
    space: false,
    alternate: false,
    zero: false,
    width: 0,
    precision: null,
  };
  if (end > start) readModifiers(spec);
  return { spec, end };
}

function readModifiers(spec: Spec): void {
  const { text } = spec;
  const afterFlags = skipFlags(text, flagLetters);
  for (let i = 1; i < afterFlags; i++) {
    const flag = text[i];
    if (flag === '-') spec.left = true;
    else if (flag === '+') spec.plus = true;
    else if (flag === ' ') spec.space = true;
    else if (flag === '#') spec.alternate = true;
    else spec.zero = true;
  }
  const afterWidth = skipDigits(text, afterFlags, longest);
  spec.width = Number(text.slice(afterFlags, afterWidth));
  if (text[afterWidth] === '.')
    spec.precision = Number(text.slice(afterWidth + 1, skipDigits(text, afterWidth + 1, longest)));
}

/** Refuses flags that the conversion doesn't know, and a width or a precision of more than two digits. */
export function checkSpec(L: LuaState, { text }: Spec, flags: string, withPrecision = true): void {
  if (text.length === 2) return;
  let at = skipFlags(text, flags);
  if (text[at] !== '0') {
    at = skipDigits(text, at, 2);
    if (withPrecision && text[at] === '.') at = skipDigits(text, at + 1, 2);
  }
  // Behind all modifiers that it may have stands its letter, which is known to be one.
  if (at !== text.length - 1) raise(L, `invalid conversion specification: '${text}'`);
}

/** Flags, digits, and the point. */
function isModifier(byte: number): boolean {
  return isDigit(byte) || byte === 45 || byte === 43 || byte === 32 || byte === 35 || byte === 46;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function skipFlags(text: string, flags: string): number {
  let at = 1;
  while (at < text.length && flags.includes(text[at] ?? '')) at++;
  return at;
}

function skipDigits(text: string, from: number, most: number): number {
  let at = from;
  while (at - from < most && isDigit(text.charCodeAt(at))) at++;
  return at;
}
