import type { Holds } from '../../contract/engine.js';
import type { CallGuard, Chance } from '../determinism/determinism.js';
import {
  lauxlib,
  literal,
  lua,
  luaopen_math,
  power,
  raise,
  sealOwn,
  setField,
  weigh,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';

/** Exponents of normal floats are larger than this. */
const leastNormal = -1022;
const mostNormal = 1023;

/** `math.frexp(x)`: the fraction, in [0.5, 1), and the exponent of two that make `x`. */
function frexp(L: LuaState): number {
  const x = lauxlib.luaL_checknumber(L, 1);
  const { fraction, exponent } = partsOf(x);
  lua.lua_pushnumber(L, fraction);
  lua.lua_pushinteger(L, exponent);
  return 2;
}

/** `math.ldexp(m, e)`: `m` times two to the power of `e`, rounded once. */
function ldexp(L: LuaState): number {
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

/** Instructions that a new seed costs, which is hashed. */
const seedCost = 300;

/** Lua's math library, with a generator of the run's own and the functions that the reference adds (`pow`, `log10`, …). */
export function openMath(L: LuaState, chance: Chance, guard: CallGuard, holds: Holds): void {
  const conforms = holds('lua-conformance');
  const functions: Record<string, CFunction> = {
    random: (thread) => {
      guard(thread, 'math.random()');
      return random(thread, chance);
    },
    randomseed: (thread) => {
      guard(thread, 'math.randomseed()');
      weigh(thread, seedCost);
      return conforms ? seed(thread, chance) : seedWithoutResult(thread, chance);
    },
    ...ofTheReference,
    ...(conforms ? { frexp, ldexp } : {}),
  };
  lauxlib.luaL_requiref(L, literal('math'), luaopen_math, 1);
  for (const [name, fn] of Object.entries(functions)) {
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, name);
  }
  sealOwn(L, 'math', ['random', 'randomseed']);
  lua.lua_pop(L, 1);
}

function one(fn: (x: number) => number): CFunction {
  return (L) => {
    lua.lua_pushnumber(L, fn(lauxlib.luaL_checknumber(L, 1)));
    return 1;
  };
}

function two(fn: (x: number, y: number, L: LuaState) => number): CFunction {
  return (L) => {
    lua.lua_pushnumber(L, fn(lauxlib.luaL_checknumber(L, 1), lauxlib.luaL_checknumber(L, 2), L));
    return 1;
  };
}

const ofTheReference = {
  pow: two((x, y, L) => power(L, x, y)),
  atan2: two(Math.atan2),
  log10: one(Math.log10),
  sinh: one(Math.sinh),
  cosh: one(Math.cosh),
  tanh: one(Math.tanh),
};

/** Gives the two numbers that would make the same sequence again. */
function seed(L: LuaState, chance: Chance): number {
  const isGiven = lua.lua_gettop(L) > 0;
  const first = isGiven ? lauxlib.luaL_checknumber(L, 1) : 0;
  const second = lauxlib.luaL_optinteger(L, 2, 0);
  chance.reseed(isGiven ? first : null, second);
  if (Number.isSafeInteger(first)) lua.lua_pushinteger(L, first);
  else lua.lua_pushnumber(L, first);
  lua.lua_pushinteger(L, second);
  return 2;
}

function seedWithoutResult(L: LuaState, chance: Chance): number {
  chance.reseed(lua.lua_gettop(L) === 0 ? null : lauxlib.luaL_checknumber(L, 1));
  return 0;
}

function random(L: LuaState, chance: Chance): number {
  const arguments_ = lua.lua_gettop(L);
  if (arguments_ === 0) {
    lua.lua_pushnumber(L, chance.next(L));
    return 1;
  }
  if (arguments_ > 2) return raise(L, 'wrong number of arguments');
  const low = arguments_ === 1 ? 1 : lauxlib.luaL_checkinteger(L, 1);
  const high = lauxlib.luaL_checkinteger(L, arguments_);
  if (arguments_ === 1 && high === 0) {
    lua.lua_pushinteger(L, Math.floor(chance.next(L) * 0x20000000000000));
    return 1;
  }
  if (low > high) lauxlib.luaL_argerror(L, L.l_G.conforms ? 1 : arguments_, literal('interval is empty'));
  lua.lua_pushinteger(L, low + Math.floor(chance.next(L) * (high - low + 1)));
  return 1;
}
