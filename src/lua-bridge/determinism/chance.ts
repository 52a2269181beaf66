import type { Drift } from '../../contract/specifications/scenario.js';
import { isRecorded } from './determinism.js';
import type { LuaState } from '../kernel/index.js';
import { sha256Hex } from '../../contract/effects/digest.js';

/** The random numbers of a run. Where chance drifts, those drawn outside of checkpoints come from another generator. */
export class Chance {
  private own: Random;
  private other: Random | null;

  constructor(
    private readonly seed: string,
    private readonly drift: Drift | null,
  ) {
    this.own = new Random(seed);
    this.other = drift === null ? null : new Random(drift.seed);
  }

  /** Begins again from a number that the procedure gives, or from none. A given one makes the same numbers anywhere. */
  reseed(given: number | null, second = 0): void {
    this.own = new Random(`${this.seed}:${given ?? 0}${second === 0 ? '' : `:${second}`}`);
    this.other = given !== null || this.drift === null ? null : new Random(`${this.drift.seed}:0`);
  }

  /** A float in [0, 1) with 53 random bits. */
  next(thread: LuaState): number {
    const own = this.own.next();
    const other = this.other?.next() ?? own;
    return isRecorded(thread) ? own : other;
  }
}

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
