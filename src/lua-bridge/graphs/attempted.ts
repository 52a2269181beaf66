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
