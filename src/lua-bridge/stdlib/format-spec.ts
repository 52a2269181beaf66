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

/** Reads the conversion after the `%` before `start`. What it may have is known only by its letter. */
export function readSpec(L: LuaState, pattern: Uint8Array, start: number): { spec: Spec; end: number } {
  const following = String.fromCharCode(...pattern.subarray(start, start + longest + 2));
  const [modifiers = ''] = /^[-+ #0-9.]*/.exec(following) ?? [];
  if (modifiers.length >= longest) return raise(L, "invalid format string to 'format'");
  const [, flags = '', width = '', precision] = /^([-+ #0]*)(\d*)(?:\.(\d*))?/.exec(modifiers) ?? [];
  const spec: Spec = {
    text: `%${following.slice(0, modifiers.length + 1)}`,
    left: flags.includes('-'),
    plus: flags.includes('+'),
    space: flags.includes(' '),
    alternate: flags.includes('#'),
    zero: flags.includes('0'),
    width: Number(width),
    precision: precision === undefined ? null : Number(precision),
  };
  return { spec, end: start + modifiers.length };
}

/** Refuses flags that the conversion doesn't know, and a width or a precision of more than two digits. */
export function checkSpec(L: LuaState, { text }: Spec, flags: string, withPrecision = true): void {
  let at = 1;
  while (flags.includes(text[at] ?? ' .')) at++;
  if (text[at] !== '0') {
    const rest = text.slice(at);
    const sized = withPrecision ? /^\d{0,2}(\.\d{0,2})?/.exec(rest) : /^\d{0,2}/.exec(rest);
    at += sized?.[0].length ?? 0;
  }
  if (!/^[a-z]/i.test(text.slice(at))) raise(L, `invalid conversion specification: '${text}'`);
}
