import { TactusError } from '../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { Message, ModelCall } from '../contract/model-call.js';
import { readDuration } from './duration.js';
import { handleAt, type HandleType } from './handle.js';
import { toJson } from './marshal.js';
import { readSchema, toJsonSchema, type Schema } from './schema.js';
import type { ToolDeclaration } from './tool-declaration.js';
import { lauxlib, lua, pushField, toText, type LuaState } from './vm/fengari.js';

/** An agent, and its conversation so far. */
export interface AgentDeclaration {
  name: string | null;
  model: string | null;
  /** A template, or a registry reference to a function that gives one. */
  system: { text: string } | { body: number } | null;
  initialMessage: string | null;
  tools: (ToolDeclaration | { named: string })[];
  output: Schema | null;
  settings: ModelCall['settings'];
  history: Message[];
  /** Registry reference of the last result, or null. */
  last: { output: JsonValue; usage: JsonObject } | null;
}

/**
 * Reads the table of an agent's constructor at `config`.
 * @throws TactusError source_invalid naming the field
 */
export function readAgent(
  L: LuaState,
  name: string | null,
  config: number,
  toolType: HandleType,
): AgentDeclaration {
  const what = `Agent${name === null ? '' : ` "${name}"`}`;
  const model = modelName(valueAt(L, config, 'model'), textAt(L, config, 'provider'), what);
  const output = valueAt(L, config, 'output') ?? valueAt(L, config, 'output_schema');
  return {
    name: name ?? textAt(L, config, 'name'),
    model,
    system: systemAt(L, config),
    initialMessage: textAt(L, config, 'initial_message'),
    tools: readTools(L, config, toolType, what),
    output: output === null ? null : readSchema(output, `${what}: output`),
    settings: readSettings(valuesOf(L, config), what),
    history: [],
    last: null,
  };
}

function valueAt(L: LuaState, config: number, name: string): JsonValue {
  const type = pushField(L, config, name);
  const value = type === lua.LUA_TFUNCTION || type === lua.LUA_TUSERDATA ? null : toJson(L, -1);
  lua.lua_pop(L, 1);
  return value;
}

function textAt(L: LuaState, config: number, name: string): string | null {
  const value = valueAt(L, config, name);
  return typeof value === 'string' ? value : null;
}

function valuesOf(L: LuaState, config: number): JsonObject {
  const names = ['temperature', 'max_tokens', 'request_timeout', 'tool_choice', 'model'];
  return Object.fromEntries(names.map((name) => [name, valueAt(L, config, name)]));
}

/** `openai/gpt-5-mini` of `model = "gpt-5-mini", provider = "openai"` and the other ways to write it. */
function modelName(model: JsonValue, provider: string | null, what: string): string | null {
  const name = isObject(model) ? (model['name'] ?? null) : model;
  if (name === null) return null;
  if (typeof name !== 'string' || name === '')
    throw new TactusError('source_invalid', `${what}: model must be a name such as "openai/gpt-5-mini"`);
  const full = name.replace(/^(\w+):/, '$1/');
  return provider === null || full.startsWith(`${provider}/`) ? full : `${provider}/${full}`;
}

/** Settings of a request, from the agent's table or from one call's. */
export function readSettings(values: JsonObject, what: string): ModelCall['settings'] {
  const nested = values['model'];
  const all = {
    ...(isObject(nested) ? nested : {}),
    ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
  };
  const settings: ModelCall['settings'] = {};
  const { temperature, max_tokens: maxTokens, request_timeout: timeout, tool_choice: choice } = all;
  if (temperature !== undefined) {
    if (typeof temperature !== 'number' || temperature < 0 || temperature > 2)
      throw new TactusError(
        'source_invalid',
        `${what}: temperature must be a number from 0 to 2, got ${JSON.stringify(temperature)}`,
      );
    settings.temperature = temperature;
  }
  if (maxTokens !== undefined) {
    if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1)
      throw new TactusError(
        'source_invalid',
        `${what}: max_tokens must be a positive integer, got ${JSON.stringify(maxTokens)}`,
      );
    settings.maxTokens = Number(maxTokens);
  }
  if (timeout !== undefined)
    settings.timeoutMs = readDuration(timeout, `${what}: request_timeout`, 'source_invalid');
  if (choice === 'auto' || choice === 'required' || choice === 'none') settings.toolChoice = choice;
  return settings;
}

function systemAt(L: LuaState, config: number): AgentDeclaration['system'] {
  const type = pushField(L, config, 'system_prompt');
  if (type === lua.LUA_TFUNCTION) return { body: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) };
  const text = type === lua.LUA_TSTRING ? toText(L, -1) : null;
  lua.lua_pop(L, 1);
  return text === null ? null : { text };
}

/** The field `tools` at `config`: handles or names. */
export function readTools(
  L: LuaState,
  config: number,
  toolType: HandleType,
  what: string,
): AgentDeclaration['tools'] {
  const tools: AgentDeclaration['tools'] = [];
  if (pushField(L, config, 'tools') === lua.LUA_TTABLE) {
    for (let i = 1; lua.lua_rawgeti(L, -1, i) !== lua.LUA_TNIL; i++) {
      const handle = handleAt(L, -1, toolType);
      const named = lua.lua_type(L, -1) === lua.LUA_TSTRING ? toText(L, -1) : null;
      if (handle !== null) tools.push(handle as ToolDeclaration);
      else if (named !== null) tools.push({ named });
      else throw new TactusError('source_invalid', `${what}: tools[${i}] is no tool and no name of one`);
      lua.lua_pop(L, 1);
    }
    lua.lua_pop(L, 1);
  }
  lua.lua_pop(L, 1);
  return tools;
}

/** JSON Schema that the model's answer must follow. */
export function outputSchema(schema: Schema | null): JsonObject | null {
  return schema?.kind === 'fields' ? toJsonSchema(schema.fields) : null;
}
