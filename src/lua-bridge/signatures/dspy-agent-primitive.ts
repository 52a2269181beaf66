import { lauxlib, literal, lua, native, pushField, type Bridge, type CFunction } from '../kernel/index.js';

/** `DSPyAgent {…}`, and `DSPyAgent() {…}`: the reference's name for what its agents are made of, and an agent here. */
export function openDspyAgent(bridge: Bridge): void {
  const { L } = bridge;
  lua.lua_pushglobaltable(L);
  pushField(L, -1, 'Agent');
  // Kept here: a file may have an `Agent` of its own.
  const agent = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  lua.lua_pop(L, 1);
  const declare: CFunction = native(bridge, function* (thread) {
    if (lua.lua_isnoneornil(thread, 1)) {
      lua.lua_pushcfunction(thread, declare);
      return 1;
    }
    lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
    lua.lua_settop(thread, 1);
    lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, agent);
    lua.lua_insert(thread, 1);
    yield { call: 1, results: 1 };
    return 1;
  });
  lua.lua_pushcfunction(L, declare);
  lua.lua_setglobal(L, literal('DSPyAgent'));
}
