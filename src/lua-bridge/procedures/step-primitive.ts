import { defined } from '../../contract/json/json.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import {
  lauxlib,
  literal,
  lua,
  pushField,
  pushResult,
  toJson,
  toText,
  type Bridge,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { inAttempts } from './step-attempts.js';
import { readStepOptions, type StepOptions } from './step-options.js';

/** Where the arguments of `step` lie: name, body, and what stands in for a body that fails. */
const body = 2;
const onError = 3;

/**
 * `step("name", fn, {…})`: groups checkpoints under a name, and gives what the function gives. One that is whole gives one value, as JSON
 * keeps it. Of one with attempts, each has a frame of its own.
 */
export function stepOf(bridge: Bridge): Native {
  return function* (L) {
    const name = toText(L, 1) ?? lauxlib.luaL_argerror(L, 1, literal('the name of the step expected'));
    lauxlib.luaL_checktype(L, body, lua.LUA_TFUNCTION);
    const { isWhole, attempts } = optionsAt(bridge, L, name);
    const input = attempts === null ? null : shownOf(attempts);
    const spec = { type: 'step', name, input, digest: '', scope: { step: name }, isWhole } as const;
    const value = yield* checkpointed(bridge, L, spec, function* () {
      if (attempts === null) {
        lua.lua_pushvalue(L, body);
        yield { call: 0, results: isWhole ? 1 : -1 };
      } else yield* inAttempts(bridge, L, { name, body, onError }, attempts);
      if (!isWhole) return null;
      lua.lua_settop(L, onError + 1);
      return toJson(L, -1, bridge.limits.depth);
    });
    if (!isWhole) return lua.lua_gettop(L) - onError;
    return pushResult(L, value);
  };
}

/** What the third argument says; `on_error` of it takes its place. */
function optionsAt({ holds }: Bridge, L: LuaState, name: string): StepOptions {
  lua.lua_settop(L, 3);
  if (!holds('step-options')) {
    lua.lua_settop(L, body);
    lua.lua_pushnil(L);
    return { isWhole: false, attempts: null };
  }
  const options = readStepOptions(L, 3, name);
  if (lua.lua_type(L, 3) === lua.LUA_TTABLE) {
    pushField(L, 3, 'on_error');
    lua.lua_remove(L, 3);
  }
  return options;
}

/** What the log shows of it. */
function shownOf({ retries, timeoutMs }: NonNullable<StepOptions['attempts']>) {
  return defined({
    retries: retries === 0 ? undefined : retries,
    timeout_seconds: timeoutMs === null ? undefined : timeoutMs / 1_000,
  });
}
