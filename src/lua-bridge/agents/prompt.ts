import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject } from '../../contract/json/json.js';
import type { TurnRequest } from './turn-request.js';
import type { Bridge } from '../kernel/bridge.js';
import { currentFrame } from '../scheduler/frame.js';
import { toJson } from '../values/marshal.js';
import type { Step } from '../scheduler/native.js';
import { fillTemplate, type TemplateValues } from './template.js';
import { lua, toText, type LuaState } from '../vm/fengari.js';

/** The system prompt of a turn, filled in; null where there is none. */
export function* systemPrompt(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
  values: TemplateValues,
): Generator<Step, string | null, unknown> {
  const { system } = turn.agent;
  let text = turn.system;
  if (text === null && system !== null && 'text' in system) ({ text } = system);
  if (text === null && system !== null && 'body' in system) {
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, system.body);
    yield { call: 0, results: 1 };
    text = toText(L, -1);
    lua.lua_pop(L, 1);
    if (text === null)
      throw new TactusError('lua_error', `${turn.name}: the function system_prompt must return a string`);
  }
  const whole = [text ?? '', turn.systemSuffix].filter((part) => part !== '').join('\n\n');
  return whole === '' ? null : fillTemplate(whole, values, bridge.limits.payloadBytes);
}

/** What `{input.x}` and its like stand for in this turn. Runs the agent's function `prepare`. */
export function* templateValues(
  bridge: Bridge,
  L: LuaState,
  turn: TurnRequest,
): Generator<Step, TemplateValues, unknown> {
  const prepared = yield* prepare(bridge, L, turn);
  const { params, agent } = turn;
  const { input, state } = currentFrame(L).scope;
  const read = (reference: number): JsonObject => {
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, reference);
    const value = toJson(L, -1);
    lua.lua_pop(L, 1);
    return isObject(value) ? value : {};
  };
  const given = read(input);
  const context = params['context'] ?? {};
  const declared = agent.context !== null && 'values' in agent.context ? agent.context.values : {};
  return {
    input: given,
    state: read(state.table),
    // In the reference, both begin with what the run was given.
    params: { ...given, ...params },
    context: { ...given, ...declared, ...(isObject(context) ? context : {}) },
    prepared,
  };
}

/** What `prepare` returns: a table, or one value under the name `value`. */
function* prepare(bridge: Bridge, L: LuaState, turn: TurnRequest): Generator<Step, JsonObject, unknown> {
  const { prepare: body } = turn.agent;
  if (body === null) return {};
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, body);
  yield { call: 0, results: 1 };
  const value = toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  if (isObject(value)) return value;
  return value === null || (Array.isArray(value) && value.length === 0) ? {} : { value };
}
