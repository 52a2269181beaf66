import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject } from '../../contract/json/json.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import {
  checkField,
  lauxlib,
  lookAt,
  lua,
  PerRun,
  pushField,
  pushJson,
  referredTo,
  setField,
  toJson,
  type Fields,
  type LuaState,
  type Schema,
  type StateStore,
} from '../kernel/index.js';

/** A table for one procedure's state, with the defaults that are declared, or with what it begins with. */
export function newStateStore(L: LuaState, fields: Fields, begun: JsonObject = {}): StateStore {
  lua.lua_createtable(L, 0, 0);
  for (const [name, value] of Object.entries(begun)) {
    pushJson(L, value);
    setField(L, -2, name);
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.default === undefined) continue;
    pushJson(L, field.default);
    setField(L, -2, name);
  }
  return { table: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX), fields };
}

/**
 * The caller's state, shared with a procedure that declares fields of its own: values that are there stay, for a
 * default that overwrote them would undo the caller's work on every call.
 */
export function shareState(L: LuaState, shared: StateStore, fields: Fields): StateStore {
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, shared.table);
  for (const [name, field] of Object.entries(fields)) {
    if (field.default === undefined) continue;
    const type = pushField(L, -1, name);
    lua.lua_pop(L, 1);
    if (type !== lua.LUA_TNIL) continue;
    pushJson(L, field.default);
    setField(L, -2, name);
  }
  lua.lua_pop(L, 1);
  return { table: shared.table, fields: { ...shared.fields, ...fields } };
}

/**
 * Tables of the state can be changed in place, where nothing sees it: they are checked when the procedure ends.
 * @throws TactusError state_invalid naming the field
 */
export function checkState(L: LuaState, { table, fields }: StateStore): void {
  const options = { code: 'state_invalid', unknown: 'keep', requireAll: false } as const;
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, table);
  for (const [name, field] of Object.entries(fields)) {
    if (pushField(L, -1, name) === lua.LUA_TTABLE) checkField(name, field, toJson(L, -1), options);
    lua.lua_pop(L, 1);
  }
  lua.lua_pop(L, 1);
}

export function pushStateTable(L: LuaState, store: StateStore): void {
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, store.table);
}

/** The state as JSON, for who looks at the run: a note where it is too large. It costs the run nothing. */
export function shownState(L: LuaState, { table: reference }: StateStore): JsonObject {
  const table = referredTo(L, reference);
  if (table === undefined) return {};
  try {
    const looked = lookAt(table, maxInlineBytes);
    if (looked === null)
      return { note: `the state is larger than the ${maxInlineBytes} bytes that can be shown` };
    return isObject(looked.value) ? looked.value : {};
  } catch (error) {
    if (error instanceof TactusError) return { error: error.message };
    throw error;
  }
}

/** Schemas of a file in script mode, declared by `input {…}` and its like. */
interface Script {
  input: Fields | null;
  output: Schema | null;
  state: Fields;
}

export const script = new PerRun((): Script => ({ input: null, output: null, state: {} }), 'declared');
