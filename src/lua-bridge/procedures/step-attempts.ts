import { TactusError } from '../../contract/errors.js';
import { byDeadline, inTime, type Work } from '../checkpoints/in-time.js';
import { lauxlib, lua, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { heldBack, type HeldBack } from '../checkpoints/attempted.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import type { StepAttempts, StepOptions } from './step-options.js';

/** What a step calls, and what stands in for it: its place on the stack; nil there: nothing does. */
interface Called {
  name: string;
  push: (thread: LuaState) => void;
  onError: number;
}

/**
 * Calls the function of a step, by its deadline, and leaves its results, or what stands in for them, on top of the stack.
 * @throws what it failed with, where nothing stands in for it
 */
export function* callStep(
  bridge: Bridge,
  L: LuaState,
  called: Called,
  { attempts: plan, deadline, isWhole }: StepOptions,
): Generator<Step, void, unknown> {
  const base = lua.lua_gettop(L);
  const begun = { attempts: 0 };
  try {
    const results = yield* byDeadline(bridge, L, `step '${called.name}'`, deadline, function* (thread) {
      if (plan !== null) yield* inAttempts(bridge, thread, called, plan, begun);
      else {
        called.push(thread);
        yield { call: 0, results: isWhole ? 1 : -1 };
      }
      return thread === L ? null : packed(thread);
    });
    if (results !== null) unpack(L, results);
  } catch (error) {
    if (lua.lua_isnil(L, called.onError)) throw error;
    const failed = heldBack(bridge, L, error);
    lua.lua_settop(L, base);
    yield* standIn(L, called, failed, begun.attempts);
  }
}

/**
 * Calls the function of a step until it doesn't fail, each time in a frame of its own, with waits between by durable timers. Leaves its
 * results on top of the stack.
 * @param begun counts the attempts
 * @throws what the last attempt failed with
 */
function* inAttempts(
  bridge: Bridge,
  L: LuaState,
  called: Called,
  plan: StepAttempts,
  begun: { attempts: number },
): Generator<Step, void, unknown> {
  const base = lua.lua_gettop(L);
  let { delayMs } = plan;
  for (;;) {
    const failed = yield* attemptAt(bridge, L, called, plan, ++begun.attempts);
    if (failed === null) return;
    lua.lua_settop(L, base);
    // What is used up stays so.
    if (begun.attempts > plan.retries || failed.code === 'budget_exhausted') throw failed.again(L);
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
  { name, push }: Called,
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
        push(L);
        yield { call: 0, results: -1 };
      } else yield* withTimeout(bridge, L, name, push, timeoutMs);
      return null;
    });
    return null;
  } catch (error) {
    return heldBack(bridge, L, error);
  }
}

/** @throws TactusError deadline_exceeded where the time is over first; what the function failed with */
function* withTimeout(
  bridge: Bridge,
  L: LuaState,
  name: string,
  push: Called['push'],
  ms: number,
): Generator<Step, void, unknown> {
  const seconds = ms / 1_000;
  const timer: Step = {
    effect: { type: 'sleep', name: `timeout after ${seconds}s`, effect: { kind: 'sleep', ms } },
  };
  const work: Work<number> = function* (thread) {
    push(thread);
    yield { call: 0, results: -1 };
    return packed(thread);
  };
  const ended = yield* inTime(bridge, L, timer, work, false);
  if (ended === null)
    throw new TactusError('deadline_exceeded', `step '${name}' was not done within ${seconds} s`);
  unpack(L, ended.value);
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
  lua.lua_pushvalue(L, onError);
  if (type !== lua.LUA_TFUNCTION) return failed.drop();
  failed.push(L);
  lua.lua_pushinteger(L, attempts);
  yield { call: 2, results: -1 };
}
