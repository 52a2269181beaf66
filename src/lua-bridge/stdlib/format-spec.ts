import { raise, type LuaState } from '../kernel/index.js';

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

/** The digits of a value that is not negative, as C's printf writes them. */
export function floatText(value: number, conversion: string, spec: Spec): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  const precision = spec.precision ?? 6;
  if (conversion === 'f') return withPoint(fixed(value, precision), spec);
  if (conversion === 'e') return withPoint(exponential(value, precision), spec);
  if (conversion === 'a') return hexadecimal(value, spec.precision, spec.alternate);
  const digits = precision === 0 ? 1 : precision;
  const exponent = value === 0 ? 0 : Number(value.toExponential(digits - 1).split('e')[1]);
  const decimals = digits - 1 - exponent;
  const text =
    exponent < -4 || exponent >= digits
      ? exponential(value, digits - 1)
      : decimals > mostDecimals
        ? withManyDecimals(value, digits, exponent)
        : fixed(value, decimals);
  if (spec.alternate || !text.includes('.')) return withPoint(text, spec);
  const [mantissa = '', power] = text.split('e');
  return mantissa.replace(/\.?0+$/, '') + (power === undefined ? '' : `e${power}`);
}

/** `#` keeps the point where no digit follows. */
function withPoint(text: string, { alternate }: Spec): string {
  return alternate && !text.includes('.') ? text.replace(/(?=e|$)/, '.') : text;
}

function fixed(value: number, precision: number): string {
  if (value >= 1e21) return BigInt(value).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '');
  const rounded = value.toFixed(precision);
  return isHalfway(value, precision)
    ? toEven(rounded, value.toFixed(Math.min(mostDecimals, precision + tieDigits)))
    : rounded;
}

/** Whether it lies between two numbers of so many decimals: then it is an odd number of halves of 2 to the power of minus them. */
function isHalfway(value: number, precision: number): boolean {
  return (value * 2 ** (precision + 1)) % 2 === 1;
}

/** JavaScript gives no more. */
const mostDecimals = 100;

/** What `%.99g` of a number between 0.0001 and 0.1 may ask for. */
function withManyDecimals(value: number, digits: number, exponent: number): string {
  const [mantissa = ''] = exponential(value, digits - 1).split('e');
  return `0.${'0'.repeat(-exponent - 1)}${mantissa.replace('.', '')}`;
}

function exponential(value: number, precision: number): string {
  const [rounded = '', exponent = ''] = value.toExponential(precision).split('e');
  const [exact = '', exactExponent] = value
    .toExponential(Math.min(mostDecimals, precision + tieDigits))
    .split('e');
  const mantissa = exponent === exactExponent ? toEven(rounded, exact) : rounded;
  return `${mantissa}e${exponent[0] ?? '+'}${exponent.slice(1).padStart(2, '0')}`;
}

/** Digits in which a number halfway between two others shows that it is: no double has as many zeros in its middle. */
const tieDigits = 30;

/** JavaScript rounds what lies halfway up, C to the even digit. */
function toEven(rounded: string, exact: string): string {
  const kept = exact.slice(0, rounded.length);
  const dropped = exact.slice(rounded.length).replace('.', '');
  return /^50*$/.test(dropped) && /[02468]\.?$/.test(kept) ? kept : rounded;
}

/** As C's `%a` on Linux: subnormal numbers keep the smallest exponent, and what is cut off is rounded to even. */
export function hexadecimal(value: number, precision: number | null, alternate: boolean): string {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const biased = (bits.getUint16(0) >> 4) & 0x7ff;
  const exponent = value === 0 ? 0 : biased === 0 ? -1022 : biased - 1023;
  const fraction = bits.getBigUint64(0) & 0xfffffffffffffn;
  let mantissa = (biased === 0 ? 0n : 1n << 52n) | fraction;
  if (precision !== null && precision < hexDigits) {
    const cut = BigInt(4 * (hexDigits - precision));
    const half = 1n << (cut - 1n);
    const rest = mantissa & ((1n << cut) - 1n);
    mantissa >>= cut;
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa += 1n;
    mantissa <<= cut;
  }
  const all = (mantissa & 0xfffffffffffffn).toString(16).padStart(hexDigits, '0');
  const digits = precision === null ? all.replace(/0+$/, '') : all.slice(0, precision).padEnd(precision, '0');
  const point = digits !== '' || alternate ? '.' : '';
  return `0x${mantissa >> 52n}${point}${digits}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}

/** Hexadecimal digits of a double after the point. */
const hexDigits = 13;
