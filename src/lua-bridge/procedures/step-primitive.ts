import { defined, type JsonValue } from '../../contract/json/json.js';
import { textOf } from '../budgets/deadline.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { withCleanup } from '../checkpoints/compensating.js';
import {
  lauxlib,
  literal,
  lua,
  pushField,
  pushJson,
  pushResult,
  toJson,
  toText,
  type Bridge,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { askingOnFailure } from './ask-failure.js';
import { callStep } from './step-attempts.js';
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
    const options = optionsAt(bridge, L, name);
    const { isWhole } = options;
    const input = shownOf(options);
    const spec = { type: 'step', name, input, digest: '', scope: { step: name }, isWhole } as const;
    lua.lua_pushvalue(L, body);
    const reference = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    const push = (thread: LuaState): void => void lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, reference);
    let value: JsonValue;
    try {
      value = yield* checkpointed(bridge, L, spec, function* () {
        const give = (given: JsonValue): void => pushJson(L, given);
        const part = { what: `step '${name}'`, question: options.question, give };
        yield* askingOnFailure(bridge, L, part, () =>
          withCleanup(bridge, L, () => callStep(bridge, L, { name, push, onError }, options)),
        );
        if (!isWhole) return null;
        lua.lua_settop(L, onError + 1);
        return toJson(L, -1, bridge.limits.depth);
      });
    } finally {
      lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, reference);
    }
    if (!isWhole) return lua.lua_gettop(L) - onError;
    return pushResult(L, value);
  };
}

/** What the third argument says; `on_error` of it takes its place. */
function optionsAt(bridge: Bridge, L: LuaState, name: string): StepOptions {
  lua.lua_settop(L, 3);
  if (!bridge.holds('step-options')) {
    lua.lua_settop(L, body);
    lua.lua_pushnil(L);
    return { isWhole: false, attempts: null, deadline: null, question: null };
  }
  const options = readStepOptions(bridge, L, 3, name);
  if (lua.lua_type(L, 3) === lua.LUA_TTABLE) {
    pushField(L, 3, 'on_error');
    lua.lua_remove(L, 3);
  }
  return options;
}

/** What the log shows of it. */
function shownOf({ attempts, deadline }: StepOptions): JsonValue {
  if (attempts === null && deadline === null) return null;
  const { retries = 0, timeoutMs = null } = attempts ?? {};
  return defined({
    retries: retries === 0 ? undefined : retries,
    timeout_seconds: timeoutMs === null ? undefined : timeoutMs / 1_000,
    deadline: deadline === null ? undefined : textOf(deadline),
  });
}
