import { native, type Bridge } from '../bridge.js';
import { lauxlib, literal, lua, pushField, pushText } from '../vm/fengari.js';

/** `Classify {method = "llm", classes = {…}, prompt = "…"}`: what `require("tactus.text.classify")` has under this name. */
export function openClassify(bridge: Bridge): void {
  const { L } = bridge;
  // Kept here: a file may have a `require` of its own.
  lua.lua_pushglobaltable(L);
  pushField(L, -1, 'require');
  const require = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  lua.lua_pop(L, 1);
  lua.lua_pushcfunction(
    L,
    native(bridge, function* (thread) {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      lua.lua_settop(thread, 1);
      lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, require);
      pushText(thread, 'tactus.text.classify');
      yield { call: 1, results: 1 };
      pushField(thread, 2, 'Classify');
      lua.lua_pushvalue(thread, 1);
      yield { call: 1, results: 1 };
      return 1;
    }),
  );
  lua.lua_setglobal(L, literal('Classify'));
}
