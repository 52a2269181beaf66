import { lua, pushField, setField, type LuaState } from './vm/fengari.js';

/**
 * `agent("greeter", {…})` makes the global `Greeter` in the 0.10 dialect, and `model` likewise. Sets it to the handle on
 * top of the stack, unless the file has something of that name.
 */
export function setOlderGlobal(L: LuaState, name: string): void {
  const handle = lua.lua_absindex(L, -1);
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  const pascal = name.split('_').map(capital).join('');
  lua.lua_pushglobaltable(L);
  // `Contact_formatter` is what that dialect makes of contact_formatter; its examples write `ContactFormatter` as well.
  for (const global of [capital(name), capital(name.toLowerCase()), pascal]) {
    if (pushField(L, -1, global) === lua.LUA_TNIL) {
      lua.lua_pushvalue(L, handle);
      setField(L, -3, global);
    }
    lua.lua_pop(L, 1);
  }
  lua.lua_pop(L, 1);
}
