import { sha256Hex } from '../../contract/effects/digest.js';

/** A small deterministic generator (xoshiro128**): the same seed gives the same numbers on every machine. */
export class Random {
  private state: [number, number, number, number];

  constructor(seed: string) {
    const hex = sha256Hex(seed);
    const word = (i: number): number => Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16) | 0;
    this.state = [word(0), word(1), word(2), word(3) | 1];
  }

  /** A float in [0, 1) with 53 random bits. */
  next(): number {
    const high = this.bits() >>> 5;
    const low = this.bits() >>> 6;
    return (high * 0x4000000 + low) / 0x20000000000000;
  }

  private bits(): number {
    const s = this.state;
    const result = Math.imul(rotate(Math.imul(s[1], 5), 7), 9);
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11);
    return result;
  }
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}
