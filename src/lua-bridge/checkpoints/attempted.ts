import { errorCodes, TactusError } from '../../contract/errors.js';
import { lauxlib, lua, LuaRaised, type Bridge, type LuaState, type Step } from '../kernel/index.js';

/** How work of a branch ended that must not end the branches beside it. */
export type Attempt<T> =
  | { value: T }
  | {
      error: TactusError;
      /** Registry reference of what Lua raised, where that is no text. */
      raised: number | null;
    };

/** Does work, and keeps what a procedure could catch of it. What ends the run passes. */
export function* attempted<T>(
  bridge: Bridge,
  L: LuaState,
  work: Generator<Step, T, unknown>,
): Generator<Step, Attempt<T>, unknown> {
  try {
    return { value: yield* work };
  } catch (error) {
    if (error instanceof LuaRaised) {
      const isText = lua.lua_type(L, -1) === lua.LUA_TSTRING;
      const noted = bridge.scheduler.notes.toError(L);
      return { error: noted, raised: isText ? null : lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) };
    }
    if (error instanceof TactusError && errorCodes[error.code].catchable) return { error, raised: null };
    throw error;
  }
}

/**
 * Keeps an error while other work is done before it goes on; gives what says its text, and what throws it again as it was.
 * @throws the error at once where it ends the run
 */
export function heldBack(
  { scheduler }: Bridge,
  L: LuaState,
  error: unknown,
): { text: string; again: () => unknown } {
  const { notes } = scheduler;
  if (error instanceof LuaRaised) {
    const noted = notes.keep(L);
    const raised = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    const again = (): unknown => {
      lua.lua_checkstack(L, 2);
      lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, raised);
      lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, raised);
      notes.recall(noted);
      return notes.raised;
    };
    return { text: noted.text, again };
  }
  if (error instanceof TactusError && errorCodes[error.code].catchable)
    return { text: error.message, again: () => error };
  throw error;
}

/**
 * What the work gave.
 * @throws what it failed with: a TactusError, or LuaRaised with the value on top of the stack
 */
export function valueOf<T>({ scheduler }: Bridge, L: LuaState, attempt: Attempt<T>): T {
  if ('value' in attempt) return attempt.value;
  if (attempt.raised === null) throw attempt.error;
  lua.lua_checkstack(L, 2);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, attempt.raised);
  throw scheduler.notes.raised;
}
