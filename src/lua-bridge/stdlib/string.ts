import { sequenceLength } from '../vm/text.js';
import { lauxlib, literal, lua, luaopen_string, seal, setField, work, type CFunction, type LuaState } from '../vm/fengari.js';
import { format } from './format.js';

/**
 * Lua's string library, with `len`, `sub` and `reverse` counting UTF-8 characters as the reference has them (a byte
 * that starts no valid sequence counts as one character). `#s`, `find`, `byte` and patterns count bytes.
 */
export function openString(L: LuaState): void {
  lauxlib.luaL_requiref(L, literal('string'), luaopen_string, 1);
  const functions: Record<string, CFunction> = { format, len, sub, reverse };
  for (const [name, fn] of Object.entries(functions)) {
    lua.lua_pushcfunction(L, fn);
    setField(L, -2, name);
  }
  seal(L, 'the library string is read-only');
  lua.lua_pop(L, 1);
  sealMetatable(L);
}

/** The metatable that all strings share must not reach Lua: whoever changed it would change every string. */
function sealMetatable(L: LuaState): void {
  lua.lua_pushlstring(L, new Uint8Array(), 0);
  if (lua.lua_getmetatable(L, -1)) {
    lua.lua_pushboolean(L, false);
    setField(L, -2, '__metatable');
    seal(L, 'the metatable of strings is read-only');
    lua.lua_pop(L, 1);
  }
  lua.lua_pop(L, 1);
}

/** Offsets at which characters start, and the length at the end; null where every byte is a character. */
function starts(L: LuaState, bytes: Uint8Array): number[] | null {
  work(L, bytes.length >> 2);
  if (bytes.every((byte) => byte < 0x80)) return null;
  const offsets: number[] = [];
  for (let at = 0; at < bytes.length; at += Math.max(1, sequenceLength(bytes, at))) offsets.push(at);
  offsets.push(bytes.length);
  return offsets;
}

function len(L: LuaState): number {
  const bytes = lauxlib.luaL_checkstring(L, 1);
  const offsets = starts(L, bytes);
  lua.lua_pushinteger(L, offsets === null ? bytes.length : offsets.length - 1);
  return 1;
}

function sub(L: LuaState): number {
  const bytes = lauxlib.luaL_checkstring(L, 1);
  const offsets = starts(L, bytes);
  const length = offsets === null ? bytes.length : offsets.length - 1;
  const from = Math.max(1, fromEnd(lauxlib.luaL_checkinteger(L, 2), length));
  const to = Math.min(length, fromEnd(lauxlib.luaL_optinteger(L, 3, -1), length));
  const offset = (character: number): number => (offsets === null ? character : (offsets[character] ?? bytes.length));
  const part = from > to ? new Uint8Array() : bytes.subarray(offset(from - 1), offset(to));
  lua.lua_pushlstring(L, part, part.length);
  return 1;
}

function fromEnd(position: number, length: number): number {
  return position >= 0 ? position : Math.max(0, length + position + 1);
}

function reverse(L: LuaState): number {
  const bytes = lauxlib.luaL_checkstring(L, 1);
  const offsets = starts(L, bytes);
  const reversed = new Uint8Array(bytes.length);
  if (offsets === null) reversed.set(bytes.slice().reverse());
  else {
    let end = bytes.length;
    for (let i = 0; i + 1 < offsets.length; i++) {
      const character = bytes.subarray(offsets[i], offsets[i + 1]);
      end -= character.length;
      reversed.set(character, end);
    }
  }
  lua.lua_pushlstring(L, reversed, reversed.length);
  return 1;
}
