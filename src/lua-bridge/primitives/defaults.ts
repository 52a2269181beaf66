import type { Bridge } from '../bridge.js';
import { modelName } from '../agent-settings.js';
import { lauxlib, literal, lua, pushText, toText, type CFunction, type LuaState } from '../vm/fengari.js';

/** Declarations for a whole file: `default_provider("openai")`, `default_model("…")`, `strict_determinism(true)`. */
export function openDefaults({ L, declared }: Bridge): void {
  const prompt =
    (name: string): CFunction =>
    (thread) => {
      declared.prompts.set(name, textAt(thread, 1));
      return 0;
    };
  const functions: Record<string, CFunction> = {
    default_provider: (thread) => {
      declared.defaults.provider = textAt(thread, 1);
      return 0;
    },
    default_model: (thread) => {
      declared.defaults.model = modelName(textAt(thread, 1));
      return 0;
    },
    strict_determinism: (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TBOOLEAN);
      declared.strict = lua.lua_toboolean(thread, 1);
      return 0;
    },
    max_turns: aNumber,
    max_depth: aNumber,
    return_prompt: prompt('return'),
    error_prompt: prompt('error'),
    status_prompt: prompt('status'),
    Prompt: (thread) => {
      const name = textAt(thread, 1);
      if (!lua.lua_isnoneornil(thread, 2)) declared.prompts.set(name, textAt(thread, 2));
      pushText(thread, declared.prompts.get(name) ?? '');
      return 1;
    },
  };
  for (const [name, fn] of Object.entries(functions)) {
    lua.lua_pushcfunction(L, fn);
    lua.lua_setglobal(L, literal(name));
  }
}

function textAt(L: LuaState, index: number): string {
  const text = lua.lua_type(L, index) === lua.LUA_TSTRING ? toText(L, index) : null;
  return text ?? lauxlib.luaL_argerror(L, index, literal('text expected'));
}

/** Bounds that the reference takes and doesn't keep: turns and depth are bounded by the run's own limits. */
const aNumber: CFunction = (L) => {
  lauxlib.luaL_checknumber(L, 1);
  return 0;
};
