import {
  isSuspendable,
  lauxlib,
  lua,
  openLibrary,
  pushText,
  raise,
  work,
  type CFunction,
  type LuaState,
  type Scheduler,
} from '../kernel/index.js';

/** Instructions that a change between coroutines costs. What the scheduler resumes costs none: slices must not be seen. */
const resumeCost = 500;

/**
 * The author's coroutines. They work as in Lua, and effects pass through them: where a coroutine stops for the
 * scheduler (an effect, the end of a slice), its resumer stops too, unseen by the author, and later goes on inside.
 */
export function openCoroutine(L: LuaState, scheduler: Scheduler): void {
  const functions: Record<string, CFunction> = {
    create,
    wrap: wrap(scheduler),
    resume: resume(scheduler),
    yield: yieldValues,
    status,
    running,
    isyieldable,
    close,
  };
  openLibrary(L, 'coroutine', functions, ['wrap', 'resume']);
}

function threadArgument(L: LuaState): LuaState {
  lauxlib.luaL_checktype(L, 1, lua.LUA_TTHREAD);
  return lua.lua_tothread(L, 1) as LuaState;
}

function create(L: LuaState): number {
  lauxlib.luaL_checktype(L, 1, lua.LUA_TFUNCTION);
  const thread = lua.lua_newthread(L);
  lua.lua_pushvalue(L, 1);
  lua.lua_xmove(L, thread, 1);
  return 1;
}

type Ended = (L: LuaState, ok: boolean, values: number) => number;

/** Resumes `thread` with the `given` values on top of L, and hands what comes back to `ended`. */
function run(scheduler: Scheduler, L: LuaState, thread: LuaState, given: number, ended: Ended): number {
  const refuse = (message: string): number => {
    pushText(L, message);
    return ended(L, false, 1);
  };
  if (!lua.lua_checkstack(thread, given)) return refuse('too many arguments to resume');
  // One that runs may stand in a call without arguments: it is not dead.
  const isAtWork = L.l_G.conforms && (thread.isTask || thread.resumer !== null);
  if (!isAtWork && lua.lua_status(thread) === lua.LUA_OK && lua.lua_gettop(thread) === 0)
    return refuse('cannot resume dead coroutine');
  if (isFailed(thread)) return refuse('cannot resume dead coroutine');
  if (thread.isTask || thread.resumer !== null) return refuse('cannot resume non-suspended coroutine');
  work(L, resumeCost);
  lua.lua_xmove(L, thread, given);
  return goOn(scheduler, L, thread, given, ended);
}

function goOn(scheduler: Scheduler, L: LuaState, thread: LuaState, given: number, ended: Ended): number {
  thread.resumer = L;
  thread.blocked = !isSuspendable(L);
  const status = lua.lua_resume(thread, L, given);
  if (status === lua.LUA_YIELD && scheduler.isSuspending)
    return lua.lua_yieldk(L, 0, null, (resumer) => goOn(scheduler, resumer, thread, 0, ended));
  if (status !== lua.LUA_OK && status !== lua.LUA_YIELD) {
    scheduler.notes.note(thread);
    thread.resumer = null;
    lua.lua_xmove(thread, L, 1);
    lua.lua_pushvalue(L, -1);
    lua.lua_xmove(L, thread, 1); // it stays for `close`
    return ended(L, false, 1);
  }
  thread.resumer = null;
  const values = lua.lua_gettop(thread);
  if (!lua.lua_checkstack(L, values + 1)) {
    lua.lua_pop(thread, values);
    pushText(L, 'too many results to resume');
    return ended(L, false, 1);
  }
  lua.lua_xmove(thread, L, values);
  return ended(L, true, values);
}

function resume(scheduler: Scheduler): CFunction {
  return (L) =>
    run(scheduler, L, threadArgument(L), lua.lua_gettop(L) - 1, (resumer, ok, values) => {
      lua.lua_pushboolean(resumer, ok);
      lua.lua_insert(resumer, -(values + 1));
      return values + 1;
    });
}

function wrap(scheduler: Scheduler): CFunction {
  const call: CFunction = (L) => {
    const thread = lua.lua_tothread(L, lua.lua_upvalueindex(1)) as LuaState;
    return run(scheduler, L, thread, lua.lua_gettop(L), (resumer, ok, values) => {
      if (ok) return values;
      if (lua.lua_type(resumer, -1) === lua.LUA_TSTRING) {
        lauxlib.luaL_where(resumer, 1);
        lua.lua_insert(resumer, -2);
        lua.lua_concat(resumer, 2);
      }
      return lua.lua_error(resumer);
    });
  };
  return (L) => {
    create(L);
    lua.lua_pushcclosure(L, call, 1);
    return 1;
  };
}

function yieldValues(L: LuaState): number {
  if (L.isTask) return raise(L, 'attempt to yield from outside a coroutine');
  return lua.lua_yieldk(L, lua.lua_gettop(L), null, null);
}

function statusOf(L: LuaState, thread: LuaState): string {
  if (thread === L) return 'running';
  if (thread.resumer !== null || thread.isTask) return 'normal';
  if (lua.lua_status(thread) === lua.LUA_YIELD) return 'suspended';
  return lua.lua_status(thread) === lua.LUA_OK && lua.lua_gettop(thread) > 0 ? 'suspended' : 'dead';
}

function status(L: LuaState): number {
  pushText(L, statusOf(L, threadArgument(L)));
  return 1;
}

/** Whether an error has ended it. */
function isFailed(thread: LuaState): boolean {
  const status = lua.lua_status(thread);
  return status !== lua.LUA_OK && status !== lua.LUA_YIELD;
}

function isyieldable(L: LuaState): number {
  const thread = lua.lua_gettop(L) === 0 ? L : threadArgument(L);
  lua.lua_pushboolean(L, !thread.isTask && (thread !== L || thread.nny === 0));
  return 1;
}

function running(L: LuaState): number {
  lua.lua_pushthread(L);
  lua.lua_pushboolean(L, L.isTask);
  return 2;
}

/**
 * Ends a suspended coroutine, or gives the error that has ended it. A frame that it stands in never ends, and leaves no
 * checkpoint.
 */
function close(L: LuaState): number {
  const thread = threadArgument(L);
  const state = statusOf(L, thread);
  if (state === 'running' && thread.isTask) return raise(L, 'cannot close main thread');
  if (state !== 'suspended' && state !== 'dead') return raise(L, `cannot close a ${state} coroutine`);
  const failed = isFailed(thread);
  thread.status = lua.LUA_OK;
  thread.frame = null;
  lua.lua_pushboolean(L, !failed);
  if (failed) lua.lua_xmove(thread, L, 1);
  lua.lua_settop(thread, 0);
  return failed ? 2 : 1;
}
