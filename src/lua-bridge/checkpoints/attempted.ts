import { errorCodes, TactusError, type ErrorCode } from '../../contract/errors.js';
import { lauxlib, lua, LuaRaised, pushText, type Bridge, type LuaState, type Step } from '../kernel/index.js';

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

/** An error that is kept while other work is done. It goes on once: by `again`, `push` or `drop`. */
export interface HeldBack {
  code: ErrorCode;
  text: string;
  /** Whether the text is all that it is. */
  isText: boolean;
  /** Gives what throws it again as it was, in the thread of a stack. */
  again(L: LuaState): unknown;
  /** Puts it on top of a stack, as `pcall` gives it. */
  push(L: LuaState): void;
  /** It goes no further. */
  drop(): void;
}

/**
 * Keeps an error while other work is done before it goes on.
 * @throws the error at once where it ends the run
 */
export function heldBack({ scheduler }: Bridge, L: LuaState, error: unknown): HeldBack {
  const { notes } = scheduler;
  if (error instanceof LuaRaised) {
    const isText = lua.lua_type(L, -1) === lua.LUA_TSTRING;
    const noted = notes.keep(L);
    const raised = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    const drop = (): void => lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, raised);
    const push = (thread: LuaState): void => {
      lua.lua_checkstack(thread, 2);
      lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, raised);
      drop();
    };
    const again = (thread: LuaState): unknown => {
      push(thread);
      notes.recall(noted);
      return notes.raised;
    };
    return { code: notes.codeOfText(noted.text) ?? noted.code, text: noted.text, isText, again, push, drop };
  }
  if (error instanceof TactusError && errorCodes[error.code].catchable)
    return {
      ...{ code: error.code, text: error.message, isText: true, again: () => error, drop: () => undefined },
      push: (thread) => {
        notes.remember(error.message, error.code);
        pushText(thread, error.message);
      },
    };
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
