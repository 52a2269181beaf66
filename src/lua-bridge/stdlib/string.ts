import {
  bytesOf,
  lauxlib,
  literal,
  lua,
  luaopen_string,
  seal,
  sealOwn,
  sequenceLength,
  setField,
  valueAt,
  work,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';
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
  sealOwn(L, 'string');
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

/** Where the character after the one at `at` starts. */
function next(bytes: Uint8Array, at: number): number {
  return at + Math.max(1, sequenceLength(bytes, at));
}

/** Characters from `at` to the end. */
function count(L: LuaState, bytes: Uint8Array, at: number): number {
  work(L, (bytes.length - at) >> 1);
  let characters = 0;
  for (let i = at; i < bytes.length; i = next(bytes, i)) characters++;
  return characters;
}

/** Where the character `characters` after the one at `at` starts, or the end. */
function skip(L: LuaState, bytes: Uint8Array, at: number, characters: number): number {
  let i = at;
  for (let left = characters; left > 0 && i < bytes.length; left--) i = next(bytes, i);
  work(L, (i - at) >> 1);
  return i;
}

function len(L: LuaState): number {
  const bytes = lauxlib.luaL_checkstring(L, 1);
  lua.lua_pushinteger(L, count(L, bytes, 0));
  return 1;
}

function sub(L: LuaState): number {
  const bytes = lauxlib.luaL_checkstring(L, 1);
  let from = lauxlib.luaL_checkinteger(L, 2);
  let to = lauxlib.luaL_optinteger(L, 3, -1);
  if (from < 0 || to < -1) {
    const length = count(L, bytes, 0);
    if (from < 0) from = length + from + 1;
    if (to < 0) to = Math.max(0, length + to + 1);
  }
  from = Math.max(1, from);
  const start = skip(L, bytes, 0, from - 1);
  const end = to === -1 ? bytes.length : skip(L, bytes, start, to - from + 1);
  const part = bytes.subarray(start, end);
  lua.lua_pushlstring(L, part, part.length);
  return 1;
}

function reverse(L: LuaState): number {
  const bytes = lauxlib.luaL_checkstring(L, 1);
  work(L, bytes.length);
  const reversed = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length;) {
    const after = next(bytes, at);
    reversed.set(bytes.subarray(at, after), bytes.length - after);
    at = after;
  }
  lua.lua_pushlstring(L, reversed, reversed.length);
  return 1;
}

const questionMark = 0x3f;

export function openUtf8Clean(L: LuaState): void {
  lua.lua_pushcfunction(L, utf8Clean);
  lua.lua_setglobal(L, literal('utf8_clean'));
}

/** `utf8_clean(s)`: the string with `?` in place of each byte that is no UTF-8; anything else as it is. */
function utf8Clean(L: LuaState): number {
  lua.lua_settop(L, 1);
  const bytes = bytesOf(valueAt(L, 1));
  if (bytes === null) return 1;
  work(L, bytes.length);
  const clean = new Uint8Array(bytes);
  for (let at = 0; at < clean.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) clean[at] = questionMark;
    at += Math.max(1, length);
  }
  lua.lua_pushlstring(L, clean, clean.length);
  return 1;
}

/** Instructions that a piece costs, beside its bytes. */
const pieceCost = 40;

export function openSplit(L: LuaState): void {
  lua.lua_pushcfunction(L, split);
  lua.lua_setglobal(L, literal('split'));
}

/** `split(text, 1000)`: pieces of at most so many characters; `split(text, ",")`: what stands between separators. */
function split(L: LuaState): number {
  const text = lauxlib.luaL_checkstring(L, 1);
  lua.lua_settop(L, 2);
  const separator = bytesOf(valueAt(L, 2));
  if (separator === null && lua.lua_type(L, 2) !== lua.LUA_TNUMBER)
    return lauxlib.luaL_argerror(L, 2, literal('a number of characters or a separator expected'));
  // Read before the table is made: what is wrong is said of the argument.
  const ends = separator === null ? sizedEnds(L, text, mostCharacters(L)) : separated(L, text, separator);
  lua.lua_createtable(L, 0, 0);
  let count = 0;
  for (const [from, to] of ends) {
    work(L, pieceCost + ((to - from) >> 3));
    const piece = text.subarray(from, to);
    lua.lua_pushlstring(L, piece, piece.length);
    lua.lua_rawseti(L, -2, ++count);
  }
  return 1;
}

function mostCharacters(L: LuaState): number {
  const most = lauxlib.luaL_checkinteger(L, 2);
  return most >= 1 ? most : lauxlib.luaL_argerror(L, 2, literal('at least 1 character expected'));
}

type Piece = readonly [from: number, to: number];

/** Where pieces begin and end that are full, but end at white space where there is some in them. */
function* sizedEnds(L: LuaState, text: Uint8Array, most: number): Generator<Piece, void, undefined> {
  for (let from = 0; from < text.length;) {
    let to = from;
    let afterSpace = from;
    for (let left = most; left > 0 && to < text.length; left--) {
      const isSpace = isSpaceAt(text, to);
      // A byte that starts no valid sequence counts as one character.
      to += Math.max(1, sequenceLength(text, to));
      if (isSpace) afterSpace = to;
    }
    work(L, to - from);
    if (to < text.length && !isSpaceAt(text, to) && afterSpace > from) to = afterSpace;
    yield [from, to];
    from = to;
  }
}

/** White space of ASCII: space, tab, line feed, vertical tab, form feed, carriage return. */
function isSpaceAt(text: Uint8Array, at: number): boolean {
  const byte = text[at] ?? 0;
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function separated(L: LuaState, text: Uint8Array, separator: Uint8Array): Iterable<Piece> {
  if (separator.length === 0)
    return lauxlib.luaL_argerror(
      L,
      2,
      literal("a separator can't be empty; split(text, 1) gives characters"),
    );
  return piecesBetween(L, text, separator);
}

function* piecesBetween(
  L: LuaState,
  text: Uint8Array,
  separator: Uint8Array,
): Generator<Piece, void, undefined> {
  let from = 0;
  for (let at = 0; at + separator.length <= text.length;) {
    let same = 0;
    while (same < separator.length && text[at + same] === separator[same]) same++;
    work(L, 1 + same);
    if (same < separator.length) at++;
    else {
      yield [from, at];
      from = at += separator.length;
    }
  }
  yield [from, text.length];
}
