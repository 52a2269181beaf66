import type { Budget } from '../../contract/budgets/budget.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { budgetOf } from '../budgets/run-budgets.js';
import {
  DeclaredList,
  globalNameOf,
  lauxlib,
  lua,
  PerRun,
  pushField,
  readSchema,
  textsOf,
  toJson,
  type Bridge,
  type Fields,
  type LuaState,
  type Schema,
} from '../kernel/index.js';
import { readDependencies, type HttpClient } from '../http/http-client.js';

/** A procedure that a file declares. */
export interface ProcedureDeclaration {
  /** As declared, or null until a global variable names it. */
  name: string | null;
  /** Lower-case constructors follow the design document: state of its own for each call. */
  ownState: boolean;
  input: Fields;
  output: Schema | null;
  state: Fields;
  /** Registry reference of the Lua function. */
  body: number;
  description: string | null;
  version: string | null;
  author: string | null;
  tags: string[];
  stages: string[];
  /** `strict_determinism`; null where it doesn't say. */
  strict: boolean | null;
  /** Clients that it declares as its `dependencies`. */
  dependencies: HttpClient[];
  /** What holds for agents that don't say which history they are sent. */
  history: { isShared: boolean; maxTokens: number | null };
  /** What one call of it may use; null: what is left to it. */
  budget: Budget | null;
}

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
    dependencies: readDependencies(fieldAt(L, config, 'dependencies'), what),
    history: historyOf(fieldAt(L, config, 'message_history')),
    budget: budgetOf(bridge, fieldAt(L, config, 'budget'), what),
  };
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

export const declaredProcedures = new DeclaredList<ProcedureDeclaration>();

/** The name that a procedure is known by: as declared, else the global variable that holds it. */
export function procedureNameOf(bridge: Bridge, declared: ProcedureDeclaration): string | null {
  declared.name ??= globalNameOf(bridge.L, declared);
  return declared.name;
}

/** The procedure of this name that the file has declared so far. */
export function procedureNamed(bridge: Bridge, name: string): ProcedureDeclaration | undefined {
  return declaredProcedures.of(bridge).find((each) => procedureNameOf(bridge, each) === name);
}

/** How deep procedures of the file may call each other; null where it doesn't say. */
export const callDepth = new PerRun((): { most: number | null } => ({ most: null }));

/** @throws TactusError lua_error where procedures call each other without end, or deeper than `max_depth` says */
export function checkDepth(bridge: Bridge, depth: number): void {
  const { limits } = bridge;
  const { most } = callDepth.of(bridge);
  if (most !== null && most < limits.callDepth && depth > most)
    throw new TactusError('lua_error', `procedures call each other more than ${most} deep (max_depth)`);
  if (depth > limits.callDepth)
    throw new TactusError(
      'lua_error',
      `procedures call each other ${limits.callDepth} deep; is this recursion endless?`,
    );
}

/** Whether the top level of the file has been executed, with all that it declares. */
export const loading = new PerRun(() => ({ hasEnded: false }));
