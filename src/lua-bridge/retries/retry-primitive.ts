import {
  errorText,
  lauxlib,
  Library,
  lua,
  LuaRaised,
  native,
  pushField,
  pushText,
  setField,
  type Bridge,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { readDuration } from '../../contract/time/duration.js';
import { TactusError } from '../../contract/errors.js';

/** `Retry.with_backoff(fn, options)`: calls again after an error, waiting longer each time on durable timers. */
export function openRetry(bridge: Bridge): void {
  retry.open(bridge);
}

const retry = new Library('Retry', (bridge) => ({ with_backoff: native(bridge, withBackoff(bridge)) }));

interface Options {
  attempts: number;
  delay: number;
  maxDelay: number;
  factor: number;
}

const withBackoff = ({ holds, scheduler }: Bridge): Native =>
  function* (L) {
    lauxlib.luaL_checktype(L, 1, lua.LUA_TFUNCTION);
    lua.lua_settop(L, 2);
    const options = readOptions(L);
    let { delay } = options;
    for (let attempt = 1; ; attempt++) {
      lua.lua_settop(L, 2);
      lua.lua_pushvalue(L, 1);
      try {
        yield { call: 0, results: -1 };
        if (lua.lua_gettop(L) === 2) lua.lua_pushnil(L);
        return lua.lua_gettop(L) - 2;
      } catch (error) {
        if (!(error instanceof LuaRaised)) throw error;
      }
      const message = errorText(L, -1);
      if (attempt >= options.attempts)
        throw new TactusError(
          (holds('error-codes') ? scheduler.notes.codeOfText(message) : null) ?? 'lua_error',
          `Retry failed after ${attempt} attempts: ${message}`,
        );
      yield* report(L, attempt, options, message, delay);
      const ms = readDuration(delay, 'Retry delay', 'lua_error');
      yield { effect: { type: 'sleep', name: `retry after ${delay}s`, effect: { kind: 'sleep', ms } } };
      delay = Math.min(delay * options.factor, options.maxDelay);
    }
  };

function readOptions(L: LuaState): Options {
  const number = (name: string, fallback: number): number => {
    if (lua.lua_type(L, 2) !== lua.LUA_TTABLE) return fallback;
    const value = pushField(L, 2, name) === lua.LUA_TNUMBER ? lua.lua_tonumber(L, -1) : fallback;
    lua.lua_pop(L, 1);
    return value;
  };
  return {
    attempts: number('max_attempts', 3),
    delay: number('initial_delay', 1),
    maxDelay: number('max_delay', 60),
    factor: number('backoff_factor', 2),
  };
}

/** Tells `on_error` of a failed attempt, if there is one. */
function* report(
  L: LuaState,
  attempt: number,
  options: Options,
  message: string,
  delay: number,
): Generator<{ call: number; results: number }, void, unknown> {
  if (lua.lua_type(L, 2) !== lua.LUA_TTABLE) return;
  if (pushField(L, 2, 'on_error') !== lua.LUA_TFUNCTION) {
    lua.lua_pop(L, 1);
    return;
  }
  lua.lua_createtable(L, 0, 4);
  lua.lua_pushinteger(L, attempt);
  setField(L, -2, 'attempt');
  lua.lua_pushinteger(L, options.attempts);
  setField(L, -2, 'max_attempts');
  pushText(L, message);
  setField(L, -2, 'error');
  lua.lua_pushnumber(L, delay);
  setField(L, -2, 'delay');
  yield { call: 1, results: 0 };
}
