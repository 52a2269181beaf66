import { TactusError } from '../../contract/errors.js';
import { lua, seal, Table, valueAt, work, type LuaState } from '../vm/fengari.js';

const entryCost = 20;
const deepest = 100;

/**
 * Puts a copy in the place of the value on top of the stack: tables with all that is in them, one that is there twice once. Functions and
 * handles are the same.
 * @throws TactusError value_not_json where tables are nested too deep
 */
export function copyTop(L: LuaState): void {
  lua.lua_checkstack(L, 4);
  lua.lua_createtable(L, 0, 0);
  lua.lua_insert(L, -2);
  copyWith(L, lua.lua_gettop(L) - 1, deepest);
  lua.lua_remove(L, -2);
}

/** @param known index of the table that has the copies of tables by these */
function copyWith(L: LuaState, known: number, depth: number): void {
  work(L, entryCost);
  if (lua.lua_type(L, -1) !== lua.LUA_TTABLE) return;
  if (depth === 0)
    throw new TactusError('value_not_json', `the state is nested over ${deepest} deep: it can't be copied`);
  lua.lua_checkstack(L, 8);
  lua.lua_pushvalue(L, -1);
  if (lua.lua_rawget(L, known) !== lua.LUA_TNIL) {
    lua.lua_remove(L, -2);
    return;
  }
  lua.lua_pop(L, 1);
  const original = lua.lua_gettop(L);
  const held = valueAt(L, original)?.value;
  const sealed = held instanceof Table ? held.sealed : null;
  lua.lua_createtable(L, 0, 0);
  const copy = original + 1;
  lua.lua_pushvalue(L, original);
  lua.lua_pushvalue(L, copy);
  lua.lua_rawset(L, known);
  for (lua.lua_pushnil(L); lua.lua_next(L, original) !== 0;) {
    copyWith(L, known, depth - 1);
    lua.lua_pushvalue(L, -2);
    lua.lua_insert(L, -2);
    lua.lua_rawset(L, copy);
  }
  if (lua.lua_getmetatable(L, original)) lua.lua_setmetatable(L, copy);
  if (sealed !== null) seal(L, sealed);
  lua.lua_remove(L, original);
}
