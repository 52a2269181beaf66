import { checkString, lua, work, type LuaState } from '../kernel/index.js';

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
