import {
  chargedTraceback,
  lauxlib,
  literal,
  lua,
  pushText,
  seal,
  setField,
  toText,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';

/** `debug.traceback`, and nothing of `debug` that could look into other code; `collectgarbage`, which has nothing to do. */
export function openDebug(L: LuaState): void {
  lua.lua_createtable(L, 0, 1);
  lua.lua_pushcfunction(L, showTraceback);
  setField(L, -2, 'traceback');
  seal(L, 'the library debug is read-only');
  lua.lua_setglobal(L, literal('debug'));
  lua.lua_pushcfunction(L, collectGarbage);
  lua.lua_setglobal(L, literal('collectgarbage'));
}

/** `debug.traceback("message")`: anything but a string or nothing is given back as it is, as Lua does. */
const showTraceback: CFunction = (L) => {
  const type = lua.lua_type(L, 1);
  const hasMessage = type === lua.LUA_TSTRING;
  lua.lua_settop(L, 1);
  if (!hasMessage && type > lua.LUA_TNIL) return 1;
  const lines = chargedTraceback(L)
    .text.split('\n')
    .map((line) => `\n\t${line}`);
  pushText(L, `${hasMessage ? '\n' : ''}stack traceback:${lines.join('')}`);
  if (hasMessage) lua.lua_concat(L, 2);
  return 1;
};

/** Memory is counted by the run's own limit; what the collector of a worker does would differ on each. */
const collectGarbage: CFunction = (L) => {
  const what = lua.lua_isnoneornil(L, 1) ? 'collect' : (lauxlib.luaL_checkstring(L, 1), toText(L, 1));
  if (what === 'count') lua.lua_pushnumber(L, 0);
  else if (what === 'isrunning') lua.lua_pushboolean(L, true);
  else lua.lua_pushinteger(L, 0);
  return 1;
};
