import { lauxlib, literal, lua, lua_number2str, raise, work, type LuaState } from '../vm/fengari.js';
import { ByteBuffer } from './byte-buffer.js';

const escape = 37; // %
const maxItem = 99; // two digits of width or precision, as in C Lua
const conversionCost = 20;

interface Spec {
  left: boolean;
  plus: boolean;
  space: boolean;
  alternate: boolean;
  zero: boolean;
  width: number;
  precision: number | null;
}

/** `string.format`, printing numbers as Lua 5.5 does. Width and precision are bounded, so is the result. */
export function format(L: LuaState): number {
  const pattern = lauxlib.luaL_checkstring(L, 1);
  const result = new ByteBuffer(L);
  let argument = 1;
  for (let i = 0; i < pattern.length;) {
    const start = i;
    while (i < pattern.length && pattern[i] !== escape) i++;
    if (i > start) result.add(pattern.subarray(start, i));
    if (i >= pattern.length) break;
    if (pattern[i + 1] === escape) {
      result.addByte(escape);
      i += 2;
      continue;
    }
    const { spec, end } = readSpec(L, pattern, i + 1);
    const conversion = String.fromCharCode(pattern[end] ?? 0);
    if (++argument > lua.lua_gettop(L)) lauxlib.luaL_argerror(L, argument, literal('no value'));
    work(L, conversionCost + 4 * (spec.precision ?? 0));
    convert(L, argument, conversion, spec, result);
    i = end + 1;
  }
  result.push();
  return 1;
}

function readSpec(L: LuaState, pattern: Uint8Array, start: number): { spec: Spec; end: number } {
  const text = String.fromCharCode(...pattern.subarray(start, start + 24));
  const match = /^([-+ #0]*)(\d*)(?:\.(\d*))?/.exec(text);
  const [all = '', flags = '', width = '', precision] = match ?? [];
  if (flags.length > 5) return raise(L, "invalid format string to 'format' (repeated flags)");
  if (width.length > 2 || (precision ?? '').length > 2)
    return raise(L, "invalid format string to 'format' (width or precision too long)");
  const spec: Spec = {
    left: flags.includes('-'),
    plus: flags.includes('+'),
    space: flags.includes(' '),
    alternate: flags.includes('#'),
    zero: flags.includes('0'),
    width: Math.min(maxItem, Number(width)),
    precision: precision === undefined ? null : Number(precision),
  };
  return { spec, end: start + all.length };
}

function convert(L: LuaState, argument: number, conversion: string, spec: Spec, result: ByteBuffer): void {
  switch (conversion) {
    case 'd':
    case 'i':
      return result.add(
        number(spec, integerDigits(L, argument, spec, 10), lauxlib.luaL_checkinteger(L, argument) < 0),
      );
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      const radix = conversion === 'o' ? 8 : conversion === 'u' ? 10 : 16;
      const value = BigInt.asUintN(64, BigInt(lauxlib.luaL_checkinteger(L, argument)));
      let digits = value.toString(radix).padStart(spec.precision ?? 0, '0');
      if (spec.alternate && radix === 16 && value !== 0n) digits = `0x${digits}`;
      return result.add(number(spec, conversion === 'X' ? digits.toUpperCase() : digits, false));
    }
    case 'c':
      return result.add(pad(spec, Uint8Array.of(lauxlib.luaL_checkinteger(L, argument) & 0xff)));
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      const value = lauxlib.luaL_checknumber(L, argument);
      const text = floatText(Math.abs(value), conversion.toLowerCase(), spec);
      const negative = value < 0 || Object.is(value, -0) || Number.isNaN(value);
      return result.add(
        number(
          Number.isFinite(value) ? spec : { ...spec, zero: false },
          conversion < 'a' ? text.toUpperCase() : text,
          negative,
        ),
      );
    }
    case 's': {
      const bytes = lauxlib.luaL_tolstring(L, argument);
      const cut = spec.precision === null ? bytes : bytes.subarray(0, spec.precision);
      result.add(pad(spec, cut));
      lua.lua_pop(L, 1);
      return;
    }
    case 'q':
      return quoted(L, argument, result);
    default:
      return raise(L, `invalid conversion '%${conversion}' to 'format'`);
  }
}

function integerDigits(L: LuaState, argument: number, spec: Spec, radix: number): string {
  const value = lauxlib.luaL_checkinteger(L, argument);
  return Math.abs(value)
    .toString(radix)
    .padStart(spec.precision ?? 0, '0');
}

/** The digits of a value that is not negative, as C's printf writes them. */
function floatText(value: number, conversion: string, spec: Spec): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  const precision = spec.precision ?? 6;
  if (conversion === 'f') return fixed(value, precision);
  if (conversion === 'e') return exponential(value, precision);
  if (conversion === 'a') return hexadecimal(value);
  const digits = precision === 0 ? 1 : precision;
  const exponent = value === 0 ? 0 : Number(value.toExponential(digits - 1).split('e')[1]);
  const text =
    exponent < -4 || exponent >= digits
      ? exponential(value, digits - 1)
      : fixed(value, digits - 1 - exponent);
  if (spec.alternate || !text.includes('.')) return text;
  return text.replace(/\.?0+(e|$)/, '$1');
}

function fixed(value: number, precision: number): string {
  if (value < 1e21)
    return toEven(value.toFixed(precision), value.toFixed(Math.min(100, precision + tieDigits)));
  return BigInt(value).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '');
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

function hexadecimal(value: number): string {
  if (value === 0) return '0x0p+0';
  let exponent = Math.floor(Math.log2(value));
  let mantissa = value / 2 ** exponent;
  if (mantissa >= 2) {
    mantissa /= 2;
    exponent++;
  } else if (mantissa < 1) {
    mantissa *= 2;
    exponent--;
  }
  return `0x${mantissa.toString(16)}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}

function number(spec: Spec, digits: string, negative: boolean): Uint8Array {
  const sign = negative ? '-' : spec.plus ? '+' : spec.space ? ' ' : '';
  const filled = spec.zero && !spec.left ? digits.padStart(spec.width - sign.length, '0') : digits;
  return pad(spec, asciiBytes(sign + filled));
}

function pad(spec: Spec, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= spec.width) return bytes.slice();
  const padded = new Uint8Array(spec.width).fill(32);
  padded.set(bytes, spec.left ? 0 : spec.width - bytes.length);
  return padded;
}

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** `%q`: a form that Lua reads back as the same value. */
function quoted(L: LuaState, argument: number, result: ByteBuffer): void {
  switch (lua.lua_type(L, argument)) {
    case lua.LUA_TSTRING: {
      const bytes = lauxlib.luaL_checkstring(L, argument);
      result.addByte(34);
      bytes.forEach((byte, i) => {
        const isControl = byte < 32 || byte === 127;
        if (byte === 34 || byte === 92 || isControl) result.addByte(92);
        if (!isControl || byte === 10) return result.addByte(byte);
        const followed = (bytes[i + 1] ?? 0) >= 48 && (bytes[i + 1] ?? 0) <= 57;
        result.addAscii(followed ? String(byte).padStart(3, '0') : String(byte));
      });
      return result.addByte(34);
    }
    case lua.LUA_TNUMBER: {
      const value = lua.lua_tonumber(L, argument);
      if (lua.lua_isinteger(L, argument)) return result.addAscii(String(value));
      if (!Number.isFinite(value))
        return result.addAscii(Number.isNaN(value) ? '(0/0)' : value > 0 ? '1e9999' : '-1e9999');
      return result.addAscii(
        Number.isInteger(value)
          ? `${value < 0 ? '-' : ''}${hexadecimal(Math.abs(value))}`
          : lua_number2str(value),
      );
    }
    case lua.LUA_TNIL:
    case lua.LUA_TBOOLEAN: {
      result.add(lauxlib.luaL_tolstring(L, argument));
      lua.lua_pop(L, 1);
      return;
    }
    default:
      lauxlib.luaL_argerror(L, argument, literal('value has no literal form'));
  }
}
