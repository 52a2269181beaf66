import type { JsonValue } from '../../contract/json/json.js';
import { toJson } from './marshal.js';
import { lauxlib, lua, pushField, toText, type LuaState } from '../vm/fengari.js';

/** Reads fields of the table that a constructor is given. Functions and handles are read by those who expect them. */

export function jsonAt(L: LuaState, config: number, name: string): JsonValue {
  const type = pushField(L, config, name);
  const value = type === lua.LUA_TFUNCTION || type === lua.LUA_TUSERDATA ? null : toJson(L, -1);
  lua.lua_pop(L, 1);
  return value;
}

export function textAt(L: LuaState, config: number, name: string): string | null {
  const text = pushField(L, config, name) === lua.LUA_TSTRING ? toText(L, -1) : null;
  lua.lua_pop(L, 1);
  return text;
}

export function hasField(L: LuaState, config: number, name: string): boolean {
  const type = pushField(L, config, name);
  lua.lua_pop(L, 1);
  return type !== lua.LUA_TNIL;
}

/** A registry reference to the function in a field, or null. */
export function functionAt(L: LuaState, config: number, name: string): number | null {
  if (pushField(L, config, name) === lua.LUA_TFUNCTION) return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  lua.lua_pop(L, 1);
  return null;
}

/** A registry reference to the first function among the table's items, or null. */
export function functionItem(L: LuaState, config: number): number | null {
  for (let i = 1; lua.lua_rawgeti(L, config, i) !== lua.LUA_TNIL; i++) {
    if (lua.lua_type(L, -1) === lua.LUA_TFUNCTION) return lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    lua.lua_pop(L, 1);
  }
  lua.lua_pop(L, 1);
  return null;
}

/** Lists of names: `include = {"a", "b"}`. */
export function textsOf(value: JsonValue | undefined): string[] | null {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null;
}
