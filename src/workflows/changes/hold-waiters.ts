import type { Position } from '../../contract/checkpoints/checkpoint.js';
import { utf8Length } from '../../contract/json/json.js';

/** Calls of one run that wait for one hold. */
export interface Waiter {
  run: string;
  positions: Position[];
}

/** All waiters are handed over in one payload. Who finds no room looks again later. */
const mostBytes = 1_000_000;

/**
 * Who waits for the holds of a namespace.
 *
 * Owns: the calls that wait, by hold and by run, in the order in which they came.
 * Invariants:
 *  1. A call waits once for a hold, however often its run tells it.
 *  2. All of it is bounded by its size. A call that finds no room isn't kept here.
 */
export class HoldWaiters {
  private readonly runs = new Map<string, Map<string, Set<Position>>>();
  private bytes = 0;

  /** @param waiters as the execution before has handed them over, by the ids of holds */
  constructor(waiters: Record<string, Waiter[]>) {
    for (const [hold, all] of Object.entries(waiters))
      for (const { run, positions } of all) this.wait(hold, run, positions);
  }

  /** By the ids of holds, those that have waited for longest first. */
  get byHold(): Record<string, Waiter[]> {
    const waiters = [...this.runs].map(([hold, runs]): [string, Waiter[]] => [
      hold,
      [...runs].map(([run, positions]) => ({ run, positions: [...positions] })),
    ]);
    return Object.fromEntries(waiters);
  }

  /** The ids of holds that something waits for. */
  get holds(): string[] {
    return [...this.runs.keys()];
  }

  /** How many calls wait for a hold. */
  waiting(hold: string): number {
    return [...(this.runs.get(hold)?.values() ?? [])].reduce((sum, { size }) => sum + size, 0);
  }

  wait(hold: string, run: string, positions: readonly Position[]): void {
    const runs = this.runs.get(hold) ?? new Map<string, Set<Position>>();
    const known = runs.get(run) ?? new Set<Position>();
    for (const position of positions) {
      const bytes = sizeOf(run, position);
      if (known.has(position) || this.bytes + bytes > mostBytes) continue;
      this.bytes += bytes;
      known.add(position);
    }
    if (known.size > 0) this.runs.set(hold, runs.set(run, known));
  }

  /** These wait for nothing any more. */
  leave(run: string, positions: readonly Position[]): void {
    for (const hold of this.runs.keys()) for (const position of positions) this.drop(hold, run, position);
  }

  /** Takes out at most so many calls that wait for a hold, those that have waited for longest first. */
  take(hold: string, most: number): Waiter[] {
    const taken: Waiter[] = [];
    let left = most;
    for (const [run, positions] of this.runs.get(hold) ?? []) {
      if (left <= 0) break;
      const some = [...positions].slice(0, left);
      left -= some.length;
      taken.push({ run, positions: some });
      for (const position of some) this.drop(hold, run, position);
    }
    return taken;
  }

  private drop(hold: string, run: string, position: Position): void {
    const runs = this.runs.get(hold);
    const positions = runs?.get(run);
    if (positions?.delete(position) !== true) return;
    this.bytes -= sizeOf(run, position);
    if (positions.size === 0) runs?.delete(run);
    if (runs?.size === 0) this.runs.delete(hold);
  }
}

/** In a payload, about. */
function sizeOf(run: string, position: Position): number {
  return utf8Length(run) + utf8Length(position) + 40;
}
