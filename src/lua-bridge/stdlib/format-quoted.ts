import { lauxlib, literal, lua, type LuaState } from '../vm/fengari.js';
import type { ByteBuffer } from './byte-buffer.js';
import { hexadecimal } from './float-text.js';

/** `%q`: a form that Lua reads back as the same value. */
export function quoted(L: LuaState, argument: number, result: ByteBuffer): void {
  switch (lua.lua_type(L, argument)) {
    case lua.LUA_TSTRING: {
      const bytes = lauxlib.luaL_checkstring(L, argument);
      result.addByte(34);
      bytes.forEach((byte, i) => {
        const isControl = byte < 32 || byte === 127;
        if (byte === 34 || byte === 92 || isControl) result.addByte(92);
        if (!isControl || byte === 10) return result.addByte(byte);
        const followed = (bytes[i + 1] ?? 0) >= 48 && (bytes[i + 1] ?? 0) <= 57;
        result.addAscii(followed ? String(byte).padStart(3, '0') : String(byte));
      });
      return result.addByte(34);
    }
    case lua.LUA_TNUMBER: {
      const value = lua.lua_tonumber(L, argument);
      if (lua.lua_isinteger(L, argument)) return result.addAscii(String(value));
      if (!Number.isFinite(value))
        return result.addAscii(Number.isNaN(value) ? '(0/0)' : value > 0 ? '1e9999' : '-1e9999');
      const sign = value < 0 || Object.is(value, -0) ? '-' : '';
      return result.addAscii(sign + hexadecimal(Math.abs(value), null, false));
    }
    case lua.LUA_TNIL:
    case lua.LUA_TBOOLEAN: {
      result.add(lauxlib.luaL_tolstring(L, argument));
      lua.lua_pop(L, 1);
      return;
    }
    default:
      lauxlib.luaL_argerror(L, argument, literal('value has no literal form'));
  }
}
