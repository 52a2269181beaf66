import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import {
  checkValue,
  currentFrame,
  definedAt,
  lauxlib,
  lua,
  pushJson,
  tableAt,
  toJson,
  type Bridge,
  type Fields,
  type LuaState,
  type Schema,
  type Step,
} from '../kernel/index.js';
import type { ProcedureDeclaration } from './procedure-declaration.js';
import { checkState } from '../state/state-store.js';

/**
 * The input as the procedure declares it.
 * @throws TactusError input_invalid: "Missing required field: user_message"
 */
export function checkInput(fields: Fields, input: JsonValue): JsonValue {
  if (Object.keys(fields).length === 0) return input ?? {};
  return checkValue({ kind: 'fields', fields }, input ?? {}, {
    code: 'input_invalid',
    unknown: 'refuse',
    requireAll: true,
  });
}

/**
 * What the procedure returned, as it declares it: required and typed. What it doesn't declare is dropped from the output
 * of a run; a caller in the same file, and who runs a script, has it too.
 * @throws TactusError output_invalid
 */
export function checkOutput(schema: Schema | null, value: JsonValue, unknown: 'drop' | 'keep'): JsonValue {
  if (schema === null || (schema.kind === 'fields' && Object.keys(schema.fields).length === 0)) return value;
  const checked = checkValue(schema, reasonsFor(schema, value) ?? (schema.kind === 'fields' ? {} : null), {
    code: 'output_invalid',
    unknown,
    requireAll: true,
  });
  return checked;
}

/** `done.last_result()` is a table; where a text is declared, the reason in it is what was meant. */
function reasonsFor(schema: Schema, value: JsonValue): JsonValue {
  if (schema.kind !== 'fields' || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => {
      const isText = getOwn(schema.fields, name)?.type === 'string';
      const isDone = isText && isObject(given) && given['tool'] === 'done';
      return [name, isDone && typeof given['reason'] === 'string' ? given['reason'] : given];
    }),
  );
}

/** Calls the procedure's function with its input, in the frame that is open. */
export function* callBody(
  bridge: Bridge,
  L: LuaState,
  declared: ProcedureDeclaration,
  input: number,
  unknown: 'drop' | 'keep',
): Generator<Step, JsonValue, unknown> {
  lua.lua_checkstack(L, 4);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, declared.body);
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, input);
  yield { call: 1, results: 1 };
  const value = toJson(L, -1, bridge.limits.depth);
  lua.lua_pop(L, 1);
  try {
    checkState(L, currentFrame(L).scope.state);
    return checkOutput(declared.output, value, unknown);
  } catch (error) {
    if (!(error instanceof TactusError)) throw error;
    lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, declared.body);
    throw new TactusError(error.code, error.message, { ...error.details, ...definedAt(L) });
  }
}

/** Keeps a read-only copy of the input; gives its registry reference. */
export function keepInput(L: LuaState, input: JsonValue): number {
  pushJson(L, typeof input === 'object' && input !== null ? input : {});
  sealDeep(L);
  return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
}

function sealDeep(L: LuaState): void {
  lua.lua_checkstack(L, 4);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, -2)) {
    if (lua.lua_type(L, -1) === lua.LUA_TTABLE) sealDeep(L);
    lua.lua_pop(L, 1);
  }
  const table = tableAt(L, -1);
  if (table !== null) table.sealed = 'input is read-only; change a copy of it';
}
