import { lauxlib, lua, native, pushField, pushText, setField, type Bridge } from '../kernel/index.js';

/** Globals that a module of the standard library has under the same name. */
const modules: Record<string, string> = {
  Classify: 'tactus.text.classify',
  ClassifyProcedure: 'tactus.text.classify.procedure',
};

/** `Classify {method = "llm", classes = {…}, prompt = "…"}`, and `ClassifyProcedure {…}`, which is a procedure of one. */
export function openClassify(bridge: Bridge): void {
  const { L } = bridge;
  // Kept here: a file may have a `require` of its own.
  lua.lua_pushglobaltable(L);
  pushField(L, -1, 'require');
  const require = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  for (const [name, module] of Object.entries(modules)) {
    const call = native(bridge, function* (thread) {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      lua.lua_settop(thread, 1);
      lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, require);
      pushText(thread, module);
      yield { call: 1, results: 1 };
      pushField(thread, 2, name);
      lua.lua_pushvalue(thread, 1);
      yield { call: 1, results: 1 };
      return 1;
    });
    lua.lua_pushcfunction(L, call);
    setField(L, -2, name);
  }
  lua.lua_pop(L, 1);
}
