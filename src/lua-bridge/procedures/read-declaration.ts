import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { readDuration } from '../../contract/time/duration.js';
import { deadlineOf } from '../budgets/deadline.js';
import { budgetOf } from '../budgets/run-budgets.js';
import { readDependencies } from '../http/http-client.js';
import {
  lauxlib,
  lua,
  pushField,
  readSchema,
  textsOf,
  toJson,
  type Bridge,
  type Fields,
  type LuaState,
  type Schema,
} from '../kernel/index.js';
import { readOnFailure } from './ask-failure.js';
import type { ProcedureDeclaration } from './procedure-declaration.js';

/**
 * Reads `{input = …, output = …, state = …, run = function}` at `config`. The function may be the field `run`,
 * the table's last item, or the argument at `body`.
 * @throws TactusError source_invalid
 */
export function readDeclaration(
  bridge: Bridge,
  L: LuaState,
  name: string | null,
  ownState: boolean,
  config: number,
  body: number,
): ProcedureDeclaration {
  const what = `Procedure${name === null ? '' : ` "${name}"`}`;
  const hasConfig = lua.lua_type(L, config) === lua.LUA_TTABLE;
  return {
    name,
    ownState,
    input: fieldsAt(L, config, 'input', what),
    // `outputs` is how 0.10 spells it.
    output: schemaAt(L, config, 'output', what) ?? schemaAt(L, config, 'outputs', what),
    state: fieldsAt(L, config, 'state', what),
    body: bodyOf(L, hasConfig ? config : null, hasConfig ? body : config, what),
    description: textAt(L, config, 'description'),
    version: textAt(L, config, 'version'),
    author: textAt(L, config, 'author'),
    tags: tagsAt(L, config),
    stages: textsOf(fieldAt(L, config, 'stages')) ?? [],
    strict: flagAt(L, config, 'strict_determinism', what),
    isWhole: flagAt(L, config, 'whole', what) === true && bridge.holds('snapshots'),
    dependencies: readDependencies(fieldAt(L, config, 'dependencies'), what),
    history: historyOf(fieldAt(L, config, 'message_history')),
    budget: budgetOf(bridge, fieldAt(L, config, 'budget'), what),
    deadline: deadlineOf(bridge, fieldAt(L, config, 'deadline'), what),
    question: readOnFailure(bridge, fieldAt(L, config, 'on_failure'), what, 'source_invalid'),
    cancelTimeoutMs: bridge.holds('sagas')
      ? cancelTimeoutOf(fieldAt(L, config, 'cancel_timeout'), what)
      : null,
  };
}

const longestCancelMs = 7 * 86_400_000;

function cancelTimeoutOf(given: JsonValue, what: string): number | null {
  if (given === null) return null;
  const ms = readDuration(given, `${what}: cancel_timeout`, 'source_invalid');
  if (ms > longestCancelMs)
    throw new TactusError('source_invalid', `${what}: cancel_timeout must be at most "7d"`);
  return ms;
}

function fieldAt(L: LuaState, config: number, name: string): JsonValue {
  if (lua.lua_type(L, config) !== lua.LUA_TTABLE) return null;
  pushField(L, config, name);
  const value = toJson(L, -1);
  lua.lua_pop(L, 1);
  return value;
}

function schemaAt(L: LuaState, config: number, name: string, what: string): Schema | null {
  const declared = fieldAt(L, config, name);
  return declared === null ? null : readSchema(declared, `${what}: ${name}`);
}

function fieldsAt(L: LuaState, config: number, name: string, what: string): Fields {
  const schema = schemaAt(L, config, name, what);
  if (schema === null) return {};
  if (schema.kind === 'value')
    throw new TactusError('source_invalid', `${what}: ${name} must be a table of fields`);
  return schema.fields;
}

function textAt(L: LuaState, config: number, name: string): string | null {
  const value = fieldAt(L, config, name);
  return typeof value === 'string' ? value : null;
}

function flagAt(L: LuaState, config: number, name: string, what: string): boolean | null {
  const value = fieldAt(L, config, name);
  if (value === null || typeof value === 'boolean') return value;
  throw new TactusError('source_invalid', `${what}: ${name} must be true or false`);
}

function tagsAt(L: LuaState, config: number): string[] {
  return textsOf(fieldAt(L, config, 'tags')) ?? [];
}

/** `message_history = {mode = "shared", max_tokens = 1000}` holds for all agents that don't say otherwise. */
function historyOf(declared: JsonValue): ProcedureDeclaration['history'] {
  const { mode, max_tokens: tokens }: JsonObject = isObject(declared) ? declared : {};
  return { isShared: mode === 'shared', maxTokens: typeof tokens === 'number' ? tokens : null };
}

/** A registry reference to the procedure's function. */
function bodyOf(L: LuaState, config: number | null, argument: number, what: string): number {
  if (lua.lua_type(L, argument) === lua.LUA_TFUNCTION) {
    lua.lua_pushvalue(L, argument);
    return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  }
  if (config !== null) {
    if (pushField(L, config, 'run') === lua.LUA_TFUNCTION) return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    lua.lua_pop(L, 1);
    for (let i = 1; lua.lua_rawgeti(L, config, i) !== lua.LUA_TNIL; i++) {
      if (lua.lua_type(L, -1) === lua.LUA_TFUNCTION) return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
      lua.lua_pop(L, 1);
    }
    lua.lua_pop(L, 1);
  }
  throw new TactusError(
    'source_invalid',
    `${what} has no function: write function(input) … end as its last item`,
  );
}
