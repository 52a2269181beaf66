import { TactusError } from '../../contract/errors.js';
import { branchOf, lauxlib, lua, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { heldBack, type HeldBack } from '../checkpoints/attempted.js';
import { forked } from '../checkpoints/branches.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import type { StepAttempts } from './step-options.js';

/** What a step calls: where its function lies on the stack, and what stands in for it; nil: nothing does. */
interface Called {
  name: string;
  body: number;
  onError: number;
}

/**
 * Calls the function of a step until it doesn't fail, each time in a frame of its own, with waits between by durable timers. Leaves its
 * results, or what stands in for them, on top of the stack.
 * @throws what the last attempt failed with, where nothing stands in for it
 */
export function* inAttempts(
  bridge: Bridge,
  L: LuaState,
  called: Called,
  plan: StepAttempts,
): Generator<Step, void, unknown> {
  const base = lua.lua_gettop(L);
  let { delayMs } = plan;
  for (let attempt = 1; ; attempt++) {
    const failed = yield* attemptAt(bridge, L, called, plan, attempt);
    if (failed === null) return;
    lua.lua_settop(L, base);
    // What is used up stays so.
    if (attempt > plan.retries || failed.code === 'budget_exhausted')
      return yield* standIn(L, called, failed, attempt);
    failed.drop();
    const name = `retry after ${delayMs / 1_000}s`;
    yield { effect: { type: 'sleep', name, effect: { kind: 'sleep', ms: delayMs } } };
    delayMs = Math.min(Math.ceil(delayMs * plan.factor), plan.longestDelayMs);
  }
}

/** What the attempt failed with; null: its results are on the stack. */
function* attemptAt(
  bridge: Bridge,
  L: LuaState,
  { name, body }: Called,
  { timeoutMs }: StepAttempts,
  attempt: number,
): Generator<Step, HeldBack | null, unknown> {
  const spec = {
    type: 'step',
    name: `attempt ${attempt}`,
    title: `${name} · attempt ${attempt}`,
    input: null,
    digest: '',
  } as const;
  try {
    yield* checkpointed(bridge, L, spec, function* () {
      if (timeoutMs === null) {
        lua.lua_pushvalue(L, body);
        yield { call: 0, results: -1 };
      } else yield* inTime(bridge, L, name, body, timeoutMs);
      return null;
    });
    return null;
  } catch (error) {
    return heldBack(bridge, L, error);
  }
}

/**
 * Calls a function beside a timer, and gives up whichever is not the first to end.
 * @throws TactusError deadline_exceeded where that is the function; what the function failed with
 */
function* inTime(
  bridge: Bridge,
  L: LuaState,
  name: string,
  body: number,
  ms: number,
): Generator<Step, void, unknown> {
  lua.lua_pushvalue(L, body);
  const called = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  const ended: { results: number | null; failed: HeldBack | null } = { results: null, failed: null };
  const work = branchOf(bridge, function* (thread) {
    lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, called);
    try {
      yield { call: 0, results: -1 };
      ended.results = packed(thread);
    } catch (error) {
      ended.failed = heldBack(bridge, thread, error);
    }
    return 0;
  });
  const seconds = ms / 1_000;
  const timer = branchOf(bridge, function* () {
    yield { effect: { type: 'sleep', name: `timeout after ${seconds}s`, effect: { kind: 'sleep', ms } } };
    return 0;
  });
  // The body goes on from the conversation of the step, and in it: it is no branch of the author's.
  yield* forked(bridge, L, { parallel: [work, timer], concurrency: 2, isApart: false, isEnough: () => true });
  lua.lua_pop(L, 1);
  lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, called);
  if (ended.failed !== null) throw ended.failed.again(L);
  if (ended.results === null)
    throw new TactusError('deadline_exceeded', `step '${name}' was not done within ${seconds} s`);
  unpack(L, ended.results);
}

/** All that is on the stack of a thread, as a reference to a table with the number of values. */
function packed(thread: LuaState): number {
  const count = lua.lua_gettop(thread);
  lua.lua_checkstack(thread, 2);
  lua.lua_createtable(thread, count, 1);
  lua.lua_insert(thread, 1);
  for (let i = count; i >= 1; i--) lua.lua_rawseti(thread, 1, i);
  lua.lua_pushinteger(thread, count);
  lua.lua_rawseti(thread, 1, 0);
  return lauxlib.luaL_ref(thread, lua.LUA_REGISTRYINDEX);
}

function unpack(L: LuaState, reference: number): void {
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, reference);
  lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, reference);
  const table = lua.lua_gettop(L);
  lua.lua_rawgeti(L, table, 0);
  const count = lua.lua_tointeger(L, -1);
  lua.lua_pop(L, 1);
  lua.lua_checkstack(L, count + 1);
  for (let i = 1; i <= count; i++) lua.lua_rawgeti(L, table, i);
  lua.lua_remove(L, table);
}

/** What the step gives although all attempts have failed: a value, or what a function gives of the error and the number of attempts. */
function* standIn(
  L: LuaState,
  { onError }: Called,
  failed: HeldBack,
  attempts: number,
): Generator<Step, void, unknown> {
  const type = lua.lua_type(L, onError);
  if (type === lua.LUA_TNIL) throw failed.again(L);
  lua.lua_pushvalue(L, onError);
  if (type !== lua.LUA_TFUNCTION) return failed.drop();
  failed.push(L);
  lua.lua_pushinteger(L, attempts);
  yield { call: 2, results: -1 };
}
