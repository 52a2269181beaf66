import type { Spec } from './format-spec.js';

/** The digits of a value that is not negative, as C's printf writes them. */
export function floatText(value: number, conversion: string, spec: Spec): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  const precision = spec.precision ?? 6;
  if (conversion === 'f') return withPoint(fixed(value, precision), spec);
  if (conversion === 'e') return withPoint(exponential(value, precision), spec);
  if (conversion === 'a') return hexadecimal(value, spec.precision, spec.alternate);
  const digits = precision === 0 ? 1 : precision;
  const exponent = value === 0 ? 0 : Number(value.toExponential(digits - 1).split('e')[1]);
  const text =
    exponent < -4 || exponent >= digits
      ? exponential(value, digits - 1)
      : fixed(value, digits - 1 - exponent);
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
    ? toEven(rounded, value.toFixed(Math.min(100, precision + tieDigits)))
    : rounded;
}

/** Whether it lies between two numbers of so many decimals: then it is an odd number of halves of 2 to the power of minus them. */
function isHalfway(value: number, precision: number): boolean {
  return (value * 2 ** (precision + 1)) % 2 === 1;
}

function exponential(value: number, precision: number): string {
  const [rounded = '', exponent = ''] = value.toExponential(precision).split('e');
  const [exact = '', exactExponent] = value.toExponential(Math.min(100, precision + tieDigits)).split('e');
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
