import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { OpenEffect } from './effect-kind.js';

/**
 * Effects that were asked for, and don't begin yet: the run is paused, or is about to continue as new.
 *
 * Owns: which effects are held, and which of them may begin now that a pause is over.
 * Asks: whether a pause holds what is asked for at a position.
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

  constructor(private readonly isPausedAt: (position: Position) => boolean) {}

  get size(): number {
    return this.held.length + this.free.length;
  }

  has(opened: OpenEffect): boolean {
    return this.held.includes(opened) || this.free.includes(opened);
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

  /** It may begin, where neither a pause nor the end of the execution holds it: a hold has let it go. */
  release(opened: OpenEffect): void {
    this.free.push(opened);
  }

  /** The next that may begin; undefined: nothing. */
  takeFree(): OpenEffect | undefined {
    return this.free.shift();
  }

  private holds({ position, definition }: OpenEffect): boolean {
    return this.isPausedAt(position) || (this.isLeaving && definition.isRemote);
  }
}
