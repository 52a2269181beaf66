import { lua, pushField, setField, type LuaState } from '../vm/fengari.js';

/** `Agent "x" {…}` and `Procedure "x" {…}` make the global `x`: sets it to the handle on top of the stack, unless it is taken. */
export function setOwnGlobal(L: LuaState, name: string): void {
  const handle = lua.lua_absindex(L, -1);
  lua.lua_pushglobaltable(L);
  if (pushField(L, -1, name) === lua.LUA_TNIL) {
    lua.lua_pushvalue(L, handle);
    setField(L, -3, name);
  }
  lua.lua_pop(L, 2);
}
