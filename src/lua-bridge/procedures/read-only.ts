import type { JsonValue } from '../../contract/json/json.js';
import { lauxlib, lua, pushJson, tableAt, type LuaState } from '../kernel/index.js';

/** Keeps a read-only copy of the input; gives its registry reference. */
export function keepInput(L: LuaState, input: JsonValue): number {
  return keepReadOnly(L, input, 'input is read-only; change a copy of it');
}

/** Keeps a read-only copy of a value, with the message that a change gets; gives its registry reference. */
export function keepReadOnly(L: LuaState, value: JsonValue, message: string): number {
  pushJson(L, typeof value === 'object' && value !== null ? value : {});
  sealDeep(L, message);
  return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
}

function sealDeep(L: LuaState, message: string): void {
  lua.lua_checkstack(L, 4);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, -2)) {
    if (lua.lua_type(L, -1) === lua.LUA_TTABLE) sealDeep(L, message);
    lua.lua_pop(L, 1);
  }
  const table = tableAt(L, -1);
  if (table !== null) table.sealed = message;
}
