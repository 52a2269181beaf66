import { lauxlib, lua, PerRun, pushField, type Bridge, type LuaState } from '../kernel/index.js';

/** Registry reference of `Session`: a file may have something of its own under the name. */
const library = new PerRun<{ reference: number }>(({ L }) => {
  lua.lua_pushglobaltable(L);
  pushField(L, -1, 'Session');
  lua.lua_remove(L, -2);
  return { reference: lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX) };
}, 'declared');

/** Keeps `Session`, which has just been opened. */
export function keepLibrary(bridge: Bridge): void {
  library.of(bridge);
}

/** Pushes `Session`, for a function of the file that is given it. */
export function pushSession(bridge: Bridge, L: LuaState): void {
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, library.of(bridge).reference);
}
