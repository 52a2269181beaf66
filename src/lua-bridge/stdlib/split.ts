import {
  bytesOf,
  lauxlib,
  literal,
  lua,
  sequenceLength,
  valueAt,
  work,
  type CFunction,
  type LuaState,
} from '../kernel/index.js';

/** Instructions that a piece costs, beside its bytes. */
const pieceCost = 40;

/** `split(text, 1000)`: pieces of at most so many characters; `split(text, ",")`: what stands between separators. */
export function openSplit(L: LuaState): void {
  const split: CFunction = (thread) => {
    const text = lauxlib.luaL_checkstring(thread, 1);
    lua.lua_settop(thread, 2);
    const separator = bytesOf(valueAt(thread, 2));
    if (separator === null && lua.lua_type(thread, 2) !== lua.LUA_TNUMBER)
      return lauxlib.luaL_argerror(thread, 2, literal('a number of characters or a separator expected'));
    // Read before the table is made: what is wrong is said of the argument.
    const ends =
      separator === null
        ? sizedEnds(thread, text, mostCharacters(thread))
        : separated(thread, text, separator);
    lua.lua_createtable(thread, 0, 0);
    let count = 0;
    for (const [from, to] of ends) {
      work(thread, pieceCost + ((to - from) >> 3));
      const piece = text.subarray(from, to);
      lua.lua_pushlstring(thread, piece, piece.length);
      lua.lua_rawseti(thread, -2, ++count);
    }
    return 1;
  };
  lua.lua_pushcfunction(L, split);
  lua.lua_setglobal(L, literal('split'));
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
