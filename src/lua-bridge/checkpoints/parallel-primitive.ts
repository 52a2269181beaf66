import {
  jsonAt,
  lauxlib,
  literal,
  lua,
  native,
  pushField,
  setLibrary,
  type Branch,
  type Bridge,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { budgetOf } from '../budgets/run-budgets.js';
import { runBranches, type BranchOptions } from './checkpointed.js';

/** `Parallel{fn, fn}` and `Parallel.map(items, fn, {concurrency = n, batch = true})`: branches side by side, results in order. */
export function openParallel(bridge: Bridge): void {
  setLibrary(bridge.L, 'Parallel', { map: native(bridge, map(bridge)) }, native(bridge, all(bridge)));
}

function all(bridge: Bridge): Native {
  return function* (L) {
    lauxlib.luaL_checktype(L, 2, lua.LUA_TTABLE);
    lua.lua_settop(L, 2);
    const count = length(L, 2);
    for (let i = 1; i <= count; i++) {
      if (lua.lua_rawgeti(L, 2, i) !== lua.LUA_TFUNCTION)
        lauxlib.luaL_argerror(L, 1, literal('a list of functions expected'));
      lua.lua_pop(L, 1);
    }
    const functions = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    const branch =
      (i: number): Branch =>
      (thread) => {
        pushItem(thread, functions, i);
        return 0;
      };
    return yield* run(
      bridge,
      L,
      Array.from({ length: count }, (_, i) => branch(i + 1)),
      { concurrency: count },
      [functions],
    );
  };
}

function map(bridge: Bridge): Native {
  return function* (L) {
    lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
    lauxlib.luaL_checktype(L, 2, lua.LUA_TFUNCTION);
    lua.lua_settop(L, 3);
    const count = length(L, 1);
    let concurrency = count;
    if (lua.lua_type(L, 3) === lua.LUA_TTABLE) {
      if (pushField(L, 3, 'concurrency') !== lua.LUA_TNIL) concurrency = lauxlib.luaL_checkinteger(L, -1);
      lua.lua_pop(L, 1);
      if (concurrency < 1) lauxlib.luaL_argerror(L, 3, literal('concurrency must be at least 1'));
    }
    const options = lua.lua_type(L, 3) === lua.LUA_TTABLE;
    const budget = options ? jsonAt(L, 3, 'budget') : null;
    const batch = options && bridge.holds('batches') ? (jsonAt(L, 3, 'batch') ?? false) : false;
    if (typeof batch !== 'boolean') lauxlib.luaL_argerror(L, 3, literal('batch must be true or false'));
    lua.lua_settop(L, 2);
    const body = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    const items = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    const branch =
      (i: number): Branch =>
      (thread) => {
        lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, body);
        pushItem(thread, items, i);
        lua.lua_pushinteger(thread, i);
        return 2;
      };
    return yield* run(
      bridge,
      L,
      Array.from({ length: count }, (_, i) => branch(i + 1)),
      {
        concurrency,
        isBatched: batch === true,
        budget: budgetOf(bridge, budget, 'Parallel.map', 'lua_error'),
      },
      [body, items],
    );
  };
}

function length(L: LuaState, index: number): number {
  let count = 0;
  for (; lua.lua_rawgeti(L, index, count + 1) !== lua.LUA_TNIL; count++) lua.lua_pop(L, 1);
  lua.lua_pop(L, 1);
  return count;
}

/** Branches start at any time, also while the caller's stack is out of reach: so all they need is in the registry. */
function pushItem(thread: LuaState, list: number, i: number): void {
  lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, list);
  lua.lua_rawgeti(thread, -1, i);
  lua.lua_remove(thread, -2);
}

function* run(
  bridge: Bridge,
  L: LuaState,
  branches: Branch[],
  options: Omit<BranchOptions, 'isApart'>,
  references: number[],
): ReturnType<Native> {
  yield* runBranches(bridge, L, branches, {
    ...options,
    isApart: bridge.holds('branch-conversations'),
  });
  for (const reference of references) lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, reference);
  return 1;
}
