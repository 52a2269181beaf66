import type { EffectRequest, Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { Position } from '../../contract/checkpoints/position.js';

/** The answer to an effect, which the procedure hasn't been given. */
export interface Arrival {
  request: EffectRequest;
  outcome: Outcome;
  /** When it came, in ms since 1970. */
  at: number;
  /** How many effects the run had asked for before this one. */
  order: number;
  /** The server suggested to continue as new when it came. */
  suggested: boolean;
  /** When the worker was asked, where it answered by a local activity: see there. */
  since?: number | null;
}

/**
 * Answers that wait for the procedure. They are given to it in the order in which it asked, not in that of their
 * arrival: which of two answers to one workflow task comes first, a replay may see otherwise than the first time.
 */
export class Arrivals {
  private waiting: Arrival[] = [];

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  add(arrival: Arrival): void {
    this.waiting.push(arrival);
  }

  take(): Arrival | undefined {
    const [first, ...others] = this.waiting;
    if (first === undefined) return undefined;
    const next = others.reduce((best, arrival) => (arrival.order < best.order ? arrival : best), first);
    this.drop(next.request.position);
    return next;
  }

  drop(position: Position): void {
    this.waiting = this.waiting.filter(({ request }) => request.position !== position);
  }
}
