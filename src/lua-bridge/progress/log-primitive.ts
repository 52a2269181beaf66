import type { Bridge } from '../kernel/bridge.js';
import { setLibrary } from '../vm/handle.js';
import { logLevels } from '../values/log-levels.js';
import { toJson } from '../values/marshal.js';
import { decodeLossy } from '../vm/text.js';
import { lauxlib, lua, weighText, type CFunction } from '../vm/fengari.js';

/** `Log.info(message, context)`. A line costs no activity; it is numbered, so whoever reads the run sees it once. */
export function openLog({ L, show, scheduler }: Bridge): void {
  const functions: Record<string, CFunction> = {};
  for (const [name, level] of Object.entries(logLevels)) {
    functions[name] = (thread) => {
      lua.lua_settop(thread, 2);
      const text = lauxlib.luaL_tolstring(thread, 1);
      weighText(thread, text.length);
      const message = decodeLossy(text);
      lua.lua_pop(thread, 1);
      show({ kind: 'log', level, message, context: scheduler.notes.guard(thread, () => toJson(thread, 2)) });
      return 0;
    };
  }
  setLibrary(L, 'Log', functions);
}
