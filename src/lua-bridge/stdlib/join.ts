import {
  checkString,
  decodeLossy,
  encodeUtf8,
  firstEntry,
  isIntegerValue,
  lauxlib,
  literal,
  lua,
  sizeOf,
  tableAt,
  work,
  type LuaState,
} from '../kernel/index.js';

export function openJoin(L: LuaState): void {
  lua.lua_pushcfunction(L, join);
  lua.lua_setglobal(L, literal('join'));
}

/** `join(list, ", ")`: the texts and numbers of a list as one text. No metamethod runs. */
function join(L: LuaState): number {
  lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
  lua.lua_settop(L, 2);
  const separator = lua.lua_isnoneornil(L, 2) ? new Uint8Array() : lauxlib.luaL_checkstring(L, 2);
  const text = new ByteBuffer(L);
  let count = 0;
  for (let type = item(L, 1); type !== lua.LUA_TNIL; type = item(L, count + 1)) {
    count++;
    if (type !== lua.LUA_TSTRING && type !== lua.LUA_TNUMBER)
      refuse(L, `item ${count} is a ${decodeLossy(lua.lua_typename(L, type))}, not text`);
    if (count > 1) text.add(separator);
    text.add(lua.lua_tostring(L, -1) ?? new Uint8Array());
    lua.lua_pop(L, 1);
  }
  if (goesOnAfter(L, count)) refuse(L, `item ${count + 1} is nil`);
  text.push();
  return 1;
}

function item(L: LuaState, index: number): number {
  return lua.lua_rawgeti(L, 1, index);
}

function refuse(L: LuaState, problem: string): never {
  return lauxlib.luaL_argerror(L, 1, encodeUtf8(problem));
}

/** A list with a hole in it would lose what stands behind, without a word. */
function goesOnAfter(L: LuaState, count: number): boolean {
  const table = tableAt(L, 1);
  if (table === null || sizeOf(table) === count) return false;
  for (let entry = firstEntry(table); entry !== undefined; entry = entry.n) {
    work(L, 1);
    if (isIntegerValue(entry.key) && (entry.key.value as number) > count) return true;
  }
  return false;
}

/** Bytes that become a Lua string piece by piece. What they cost is charged, and what would be too long refused. */
export class ByteBuffer {
  private bytes = new Uint8Array(64);
  private length = 0;

  constructor(private readonly L: LuaState) {}

  add(piece: Uint8Array): void {
    this.grow(piece.length);
    this.bytes.set(piece, this.length);
    this.length += piece.length;
  }

  addByte(byte: number): void {
    this.grow(1);
    this.bytes[this.length++] = byte;
  }

  /** ASCII as one piece. */
  addText(text: string): void {
    this.grow(text.length);
    for (let i = 0; i < text.length; i++) this.bytes[this.length++] = text.charCodeAt(i);
  }

  /** ASCII byte by byte, each charged for. */
  addAscii(text: string): void {
    for (let i = 0; i < text.length; i++) this.addByte(text.charCodeAt(i));
  }

  /** Pushes what was added, as one string. */
  push(): void {
    lua.lua_pushlstring(this.L, this.bytes, this.length);
  }

  private grow(by: number): void {
    work(this.L, 1 + (by >> 3));
    const size = this.length + by;
    checkString(this.L, size);
    if (size <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(size, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
