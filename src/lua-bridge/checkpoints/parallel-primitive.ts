import type { JsonValue } from '../../contract/json/json.js';
import {
  branchOf,
  callingLine,
  currentFrame,
  jsonAt,
  lauxlib,
  Library,
  literal,
  lua,
  native,
  pushField,
  upcomingPosition,
  type Branch,
  type Bridge,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { budgetOf } from '../budgets/run-budgets.js';
import { runBranches, type BranchOptions } from './branches.js';
import { readBranchOptions } from './branch-options.js';
import { Race, Settled } from './branch-ends.js';

/**
 * `Parallel{fn, fn}` and `Parallel.map(items, fn, {concurrency = n, batch = true})`: branches side by side, results in order.
 * `Parallel.race` and `Parallel.all_settled` say otherwise when they have ended.
 */
export function openParallel(bridge: Bridge): void {
  parallel.open(bridge);
}

const parallel = new Library(
  'Parallel',
  (bridge) => ({
    map: native(bridge, map(bridge)),
    ...(bridge.holds('races')
      ? { race: native(bridge, race(bridge)), all_settled: native(bridge, allSettled(bridge)) }
      : {}),
  }),
  { call: (bridge) => native(bridge, all(bridge)) },
);

function all(bridge: Bridge): Native {
  return function* (L) {
    const { functions, count } = functionsAt(L, 2);
    const branch =
      (i: number): Branch =>
      (thread) => {
        pushItem(thread, functions, i);
        return 0;
      };
    yield* run(
      bridge,
      L,
      Array.from({ length: count }, (_, i) => branch(i + 1)),
      { concurrency: count },
      [functions],
    );
    return 1;
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
    yield* run(
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
    return 1;
  };
}

/** `Parallel.race{fn, fn}`: the first that ends well wins, and the others are given up. */
function race(bridge: Bridge): Native {
  return function* (L) {
    const { functions, count } = onlyFunctionsAt(L);
    if (count === 0) lauxlib.luaL_argerror(L, 1, literal('at least one function expected'));
    const options = readBranchOptions(bridge, L, 2, count, 'Parallel.race');
    const running = new Race(bridge, count);
    const place = { position: upcomingPosition(currentFrame(L)), source: callingLine(L) };
    const branches = Array.from({ length: count }, (_, i) =>
      branchOf(
        bridge,
        running.branch(i + 1, (thread) => pushItem(thread, functions, i + 1)),
      ),
    );
    const ended = yield* run(bridge, L, branches, { ...options, ...running.options }, [functions]);
    running.compare(ended, place);
    lua.lua_rawgeti(L, -1, running.winner);
    lua.lua_pushinteger(L, running.winner);
    return 2;
  };
}

/** `Parallel.all_settled{fn, fn}`: all are waited for, whatever becomes of them. */
function allSettled(bridge: Bridge): Native {
  return function* (L) {
    const { functions, count } = onlyFunctionsAt(L);
    const options = readBranchOptions(bridge, L, 2, count, 'Parallel.all_settled');
    const settled = new Settled();
    const branches = Array.from({ length: count }, (_, i) =>
      branchOf(
        bridge,
        settled.branch((thread) => pushItem(thread, functions, i + 1)),
      ),
    );
    yield* run(bridge, L, branches, { ...options, ...settled.options }, [functions]);
    return 1;
  };
}

/** The functions of a list, which stays on the stack: by a reference to the list. */
function functionsAt(L: LuaState, index: number): { functions: number; count: number } {
  lauxlib.luaL_checktype(L, index, lua.LUA_TTABLE);
  const count = length(L, index);
  for (let i = 1; i <= count; i++) {
    if (lua.lua_rawgeti(L, index, i) !== lua.LUA_TFUNCTION)
      lauxlib.luaL_argerror(L, 1, literal('a list of functions expected'));
    lua.lua_pop(L, 1);
  }
  lua.lua_pushvalue(L, index);
  return { functions: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX), count };
}

/** The same of the first argument, which is to have nothing else. */
function onlyFunctionsAt(L: LuaState): ReturnType<typeof functionsAt> {
  const found = functionsAt(L, 1);
  let count = 0;
  for (lua.lua_pushnil(L); lua.lua_next(L, 1); count++) lua.lua_pop(L, 1);
  if (count !== found.count) lauxlib.luaL_argerror(L, 1, literal('a list of functions expected'));
  return found;
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
): Generator<Step, JsonValue, unknown> {
  const ended = yield* runBranches(bridge, L, branches, {
    ...options,
    isApart: bridge.holds('branch-conversations'),
  });
  for (const reference of references) lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, reference);
  return ended;
}
