import type { Drift } from '../../contract/specifications/drift.js';
import { isRecorded } from './determinism.js';
import { Random } from './random.js';
import type { LuaState } from '../vm/fengari.js';

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
