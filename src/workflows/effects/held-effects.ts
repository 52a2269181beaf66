import type { Hold } from '../../contract/changes/hold.js';
import type { Holding } from '../changes/holding.js';
import type { Pausing } from '../changes/pausing.js';
import type { OpenEffect } from './effect-kind.js';

/**
 * Effects that were asked for, and don't begin yet: the run is paused, is about to continue as new, or a worker has found their calls to
 * be held.
 *
 * Owns: which effects are kept by a pause or the end of the execution, and which may begin now that it is over.
 * Asks: `Pausing` whether a pause holds what is asked for at a position; `Holding` for calls that are held.
 * Invariants:
 *  1. A pause holds all that is asked for while it lasts, but for what an execution before had begun. What is about to
 *     continue as new holds only what a worker would be at.
 *  2. What both hold begins when both let go of it.
 *  3. An effect is held, or has been let go of, or neither; `has` tells of the first two, for neither has begun.
 */
export class HeldEffects {
  /** The run is about to continue as new. */
  isLeaving = false;
  private held: OpenEffect[] = [];
  private readonly free: OpenEffect[] = [];

  constructor(
    private readonly pausing: Pick<Pausing, 'isOn' | 'holdsBack'>,
    private readonly holding: Pick<Holding, 'size' | 'has' | 'wait' | 'drop'>,
  ) {}

  /** How many wait for the end of a pause or of a hold. */
  get size(): number {
    return (this.pausing.isOn ? this.held.length + this.free.length : 0) + this.holding.size;
  }

  has(opened: OpenEffect): boolean {
    const isKept = this.held.includes(opened) || this.free.includes(opened);
    return isKept || this.holding.has(opened.position);
  }

  /** Keeps an effect that may not begin now; false where it may. */
  take(opened: OpenEffect): boolean {
    if (!this.holds(opened)) return false;
    this.held.push(opened);
    return true;
  }

  drop(opened: OpenEffect): void {
    for (const list of [this.held, this.free]) {
      const at = list.indexOf(opened);
      if (at >= 0) list.splice(at, 1);
    }
    this.holding.drop(opened.position);
  }

  /** Gives what may begin now. */
  takeFreed(): OpenEffect[] {
    const freed = this.held.filter((opened) => !this.holds(opened));
    this.held = this.held.filter((opened) => this.holds(opened));
    return freed;
  }

  /** What may begin now does so one after the other, as much of it as a message has room for: see `takeFree`. */
  letGo(): void {
    this.free.push(...this.takeFreed());
  }

  /** Its call is held. When the hold lets it go it may begin, where neither a pause nor the end of the execution holds it. */
  waitFor(hold: Hold, opened: OpenEffect): void {
    this.holding.wait(opened.position, hold, () => this.free.push(opened));
  }

  /** The next that may begin; undefined: nothing. */
  takeFree(): OpenEffect | undefined {
    return this.free.shift();
  }

  private holds({ position, definition }: OpenEffect): boolean {
    return this.pausing.holdsBack(position) || (this.isLeaving && definition.isRemote);
  }
}
