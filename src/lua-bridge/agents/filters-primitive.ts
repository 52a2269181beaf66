import {
  lauxlib,
  Library,
  lua,
  pushText,
  setField,
  type Bridge,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';
import { countingFilters } from './history.js';

/** `filters.last_n(10)` and its like: what of a history an agent is sent, as plain tables for `message_history`. */
export function openFilters(bridge: Bridge): void {
  library.open(bridge);
}

const library = new Library('filters', filters);

function filters(): Record<string, CFunction> {
  const functions: Record<string, CFunction> = {
    by_role: (thread) => {
      lauxlib.luaL_checkstring(thread, 1);
      return filter(thread, 'by_role');
    },
    system_prefix: (thread) => {
      lua.lua_settop(thread, 0);
      lua.lua_pushboolean(thread, true);
      return filter(thread, 'system_prefix');
    },
    compose: (thread) => {
      const count = lua.lua_gettop(thread);
      lua.lua_createtable(thread, count, 0);
      lua.lua_insert(thread, 1);
      for (let i = count; i >= 1; i--) lua.lua_rawseti(thread, 1, i);
      return filter(thread, 'compose');
    },
  };
  for (const name of countingFilters)
    functions[name] = (thread) => {
      lauxlib.luaL_checknumber(thread, 1);
      return filter(thread, name);
    };
  return functions;
}

/** Makes a table of the value at 1. */
function filter(L: LuaState, kind: string): number {
  lua.lua_settop(L, 1);
  lua.lua_createtable(L, 0, 2);
  lua.lua_insert(L, 1);
  setField(L, 1, 'value');
  pushText(L, kind);
  setField(L, 1, 'filter');
  return 1;
}
