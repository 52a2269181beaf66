import { lauxlib, lua, type LuaState } from '../vm/fengari.js';

/** Exponents of normal floats are larger than this. */
const leastNormal = -1022;
const mostNormal = 1023;

/** `math.frexp(x)`: the fraction, in [0.5, 1), and the exponent of two that make `x`. */
export function frexp(L: LuaState): number {
  const x = lauxlib.luaL_checknumber(L, 1);
  const { fraction, exponent } = partsOf(x);
  lua.lua_pushnumber(L, fraction);
  lua.lua_pushinteger(L, exponent);
  return 2;
}

/** `math.ldexp(m, e)`: `m` times two to the power of `e`, rounded once. */
export function ldexp(L: LuaState): number {
  const x = lauxlib.luaL_checknumber(L, 1);
  const { fraction, exponent } = partsOf(x);
  // Twice the fraction is in [1, 2), as floats are kept.
  const power = exponent + lauxlib.luaL_checkinteger(L, 2) - 1;
  let value = fraction * 2;
  if (power > mostNormal) value *= Infinity;
  else if (power >= leastNormal) value *= 2 ** power;
  else value = value * 2 ** leastNormal * 2 ** (power - leastNormal);
  lua.lua_pushnumber(L, fraction === 0 || !Number.isFinite(x) ? x : value);
  return 1;
}

function partsOf(x: number): { fraction: number; exponent: number } {
  if (x === 0 || !Number.isFinite(x)) return { fraction: x, exponent: 0 };
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const kept = (view.getUint16(0) >> 4) & 0x7ff;
  // What is smaller than any normal float is made normal first.
  if (kept === 0) {
    const { fraction, exponent } = partsOf(x * 2 ** 54);
    return { fraction, exponent: exponent - 54 };
  }
  const exponent = kept + leastNormal;
  view.setUint16(0, (view.getUint16(0) & 0x800f) | ((mostNormal - 1) << 4));
  return { fraction: view.getFloat64(0), exponent };
}
