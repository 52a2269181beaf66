import { sequenceLength } from '../vm/text.js';
import { bytesOf, literal, lua, valueAt, work, type LuaState } from '../vm/fengari.js';

const questionMark = 0x3f;

/** `utf8_clean(s)`: the string with `?` in place of each byte that is no UTF-8; anything else as it is. */
export function openUtf8Clean(L: LuaState): void {
  lua.lua_pushcfunction(L, (thread) => {
    lua.lua_settop(thread, 1);
    const bytes = bytesOf(valueAt(thread, 1));
    if (bytes === null) return 1;
    work(thread, bytes.length);
    const clean = new Uint8Array(bytes);
    for (let at = 0; at < clean.length;) {
      const length = sequenceLength(bytes, at);
      if (length === 0) clean[at] = questionMark;
      at += Math.max(1, length);
    }
    lua.lua_pushlstring(thread, clean, clean.length);
    return 1;
  });
  lua.lua_setglobal(L, literal('utf8_clean'));
}
