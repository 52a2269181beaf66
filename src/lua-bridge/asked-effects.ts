import type { Checkpoint, EffectRequest, Outcome } from '../contract/checkpoints/checkpoint.js';
import { definitionOf } from '../contract/effects/effects.js';
import type { Position } from '../contract/checkpoints/position.js';

/** How an effect has ended; `at` is when, in ms since 1970. */
export interface Settled {
  position: Position;
  outcome: Outcome;
  at: number;
}

/** The effects that a procedure waits for: those that the host has yet to be asked for, and those that it performs. */
export class AskedEffects {
  private readonly waiting: EffectRequest[] = [];
  private readonly open = new Set<Position>();
  private readonly times = new Map<Position, number>();

  /**
   * @param pending the effects that somebody still waits for
   * @param mostOpen how many the host may perform at once
   */
  constructor(
    private readonly pending: ReadonlyMap<Position, EffectRequest>,
    private readonly mostOpen: number,
  ) {}

  add(request: EffectRequest, at: number): void {
    this.times.set(request.position, at);
    this.waiting.push(request);
  }

  /** In ms since 1970, by the procedure's clock. */
  askedAt(position: Position): number | undefined {
    return this.times.get(position);
  }

  /** As many new effects as may be open at once; the others are asked for when these have ended. */
  handOut(): EffectRequest[] {
    const handed: EffectRequest[] = [];
    while (this.open.size < this.mostOpen) {
      const request = this.waiting.shift();
      if (request === undefined) break;
      if (!this.pending.has(request.position)) continue;
      this.open.add(request.position);
      handed.push(request);
    }
    return handed;
  }

  /** It has ended, or nobody waits for it any longer. Tells whether the host was performing it. */
  close(position: Position): boolean {
    return this.open.delete(position);
  }

  /** The checkpoint that an end makes, by a clock that stands at `now`; null where nobody waits for the answer any longer. */
  toCheckpoint({ position, outcome, at }: Settled, now: number): Checkpoint | null {
    const request = this.pending.get(position);
    if (request === undefined) return null;
    const { type, name, digest, source } = request;
    // The clock never goes back, nor does the log: answers are looked at in another order than they came in.
    const ended = Math.max(at, now);
    const durationMs = ended - (this.times.get(position) ?? ended);
    this.times.delete(position);
    return {
      position,
      type,
      name,
      digest,
      outcome,
      at: ended,
      durationMs,
      source,
      input: definitionOf(request.effect.kind).shown(request.effect),
    };
  }
}
