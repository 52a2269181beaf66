import {
  bytesOf,
  lauxlib,
  literal,
  lua,
  raise,
  valueAt,
  weighText,
  work,
  type LuaState,
} from '../kernel/index.js';
import { checkSpec, floatText, hexadecimal, readSpec, type Spec } from './format-spec.js';
import { ByteBuffer } from './join.js';

const escape = 37; // %
const floatFlags = '-+ #0';
const conversionCost = 400; // a precision of 99 digits

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
    if (++argument > lua.lua_gettop(L)) lauxlib.luaL_argerror(L, argument, literal('no value'));
    const { spec, end } = readSpec(L, pattern, i + 1);
    work(L, conversionCost);
    convert(L, argument, String.fromCharCode(pattern[end] ?? 0), spec, result);
    i = end + 1;
  }
  result.push();
  return 1;
}

function convert(L: LuaState, argument: number, conversion: string, spec: Spec, result: ByteBuffer): void {
  switch (conversion) {
    case 'c':
      checkSpec(L, spec, '-', false);
      return result.add(pad(spec, Uint8Array.of(lauxlib.luaL_checkinteger(L, argument) & 0xff)));
    case 'd':
    case 'i':
      return integer(L, argument, '-+0 ', spec, decimal, result);
    case 'u':
      return integer(L, argument, '-0', spec, (value) => unsigned(value, 10), result);
    case 'o':
    case 'x':
    case 'X':
      return integer(L, argument, '-#0', spec, (value) => inOtherRadix(value, conversion, spec), result);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return float(L, argument, conversion, spec, result);
    case 's':
      return text(L, argument, spec, result);
    case 'p':
      if (!L.l_G.conforms) break;
      return pointer(L, argument, spec, result);
    case 'q':
      if (spec.text !== '%q') return raise(L, "specifier '%q' cannot have modifiers");
      return quoted(L, argument, result);
  }
  return raise(L, `invalid conversion '${spec.text.replace(/\0$/, '')}' to 'format'`);
}

function integer(
  L: LuaState,
  argument: number,
  flags: string,
  spec: Spec,
  digitsOf: (value: number) => string,
  result: ByteBuffer,
): void {
  const value = lauxlib.luaL_checkinteger(L, argument);
  checkSpec(L, spec, flags);
  // With a precision, C fills with spaces, and writes nothing for a zero of no digits.
  const digits = value === 0 && spec.precision === 0 ? '' : digitsOf(value);
  const zero = spec.zero && spec.precision === null;
  const filled = digits.padStart(spec.precision ?? 0, '0');
  const isHexadecimal = spec.alternate && value !== 0 && /[xX]$/.test(spec.text);
  const prefix = isHexadecimal ? `0${spec.text.slice(-1)}` : '';
  number(spec, zero, prefix, filled, value < 0 && digitsOf === decimal, result);
}

function decimal(value: number): string {
  return Math.abs(value).toString();
}

function unsigned(value: number, radix: number): string {
  return BigInt.asUintN(64, BigInt(value)).toString(radix);
}

function inOtherRadix(value: number, conversion: string, { alternate }: Spec): string {
  if (conversion === 'o') return (alternate && value !== 0 ? '0' : '') + unsigned(value, 8);
  const digits = unsigned(value, 16);
  return conversion === 'X' ? digits.toUpperCase() : digits;
}

function float(L: LuaState, argument: number, conversion: string, spec: Spec, result: ByteBuffer): void {
  // Lua looks at the number first, but not for hexadecimal floats.
  const isHexadecimal = conversion === 'a' || conversion === 'A';
  if (isHexadecimal) checkSpec(L, spec, floatFlags);
  const value = lauxlib.luaL_checknumber(L, argument);
  if (!isHexadecimal) checkSpec(L, spec, floatFlags);
  const lower = floatText(Math.abs(value), conversion.toLowerCase(), spec);
  const digits = conversion < 'a' ? lower.toUpperCase() : lower;
  const prefix = isHexadecimal ? (/^0x/i.exec(digits)?.[0] ?? '') : '';
  const negative = value < 0 || Object.is(value, -0) || Number.isNaN(value);
  const zero = spec.zero && Number.isFinite(value);
  number(spec, zero, prefix, digits.slice(prefix.length), negative, result);
}

function text(L: LuaState, argument: number, spec: Spec, result: ByteBuffer): void {
  const bytes = lauxlib.luaL_tolstring(L, argument);
  if (spec.text === '%s') result.add(bytes);
  else {
    weighText(L, bytes.length);
    if (bytes.includes(0)) lauxlib.luaL_argerror(L, argument, literal('string contains zeros'));
    checkSpec(L, spec, '-');
    result.add(pad(spec, spec.precision === null ? bytes : bytes.subarray(0, spec.precision)));
  }
  lua.lua_pop(L, 1);
}

/** What `tostring` shows of a value, which is no address here: a replay shows the same. Equal texts show the same. */
function pointer(L: LuaState, argument: number, spec: Spec, result: ByteBuffer): void {
  checkSpec(L, spec, '-', false);
  const held = lua.lua_topointer(L, argument);
  const bytes = bytesOf(valueAt(L, argument));
  if (held === null && bytes === null) return result.addText(padded(spec, '(null)'));
  if (bytes !== null) {
    work(L, bytes.length);
    return result.addText(padded(spec, `0x${hashOf(bytes).toString(16)}`));
  }
  result.add(pad(spec, lua.lua_pushfstring(L, literal('%p'), held)));
  lua.lua_pop(L, 1);
}

/** FNV-1a, above the numbers that tables have. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return 0x100000000 + hash;
}

function padded({ left, width }: Spec, text: string): string {
  return left ? text.padEnd(width) : text.padStart(width);
}

function number(
  spec: Spec,
  zero: boolean,
  prefix: string,
  digits: string,
  negative: boolean,
  result: ByteBuffer,
): void {
  const sign = (negative ? '-' : spec.plus ? '+' : spec.space ? ' ' : '') + prefix;
  const filled = sign + (zero && !spec.left ? digits.padStart(spec.width - sign.length, '0') : digits);
  result.addText(padded(spec, filled));
}

function pad(spec: Spec, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= spec.width) return bytes;
  const padded = new Uint8Array(spec.width).fill(32);
  padded.set(bytes, spec.left ? 0 : spec.width - bytes.length);
  return padded;
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
      const sign = value < 0 || Object.is(value, -0) ? '-' : '';
      return result.addAscii(sign + hexadecimal(Math.abs(value), null, false));
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
