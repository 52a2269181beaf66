import type { EffectRequest, Position } from '../../contract/checkpoints/checkpoint.js';
import type { RunMeter } from '../vm/meter.js';
import { currentFrame, type Scope, type Task } from './task.js';

/**
 * Which task waits for which effect.
 *
 * Owns: the request of each effect that a task waits for, and the positions of those that were given up.
 * Invariants:
 *  1. `pending` has the effects that a task waits for, in the order of asking, and no others.
 *  2. The position of an effect that was given up stays known to `isAwaited`.
 */
export class AwaitedEffects {
  readonly pending = new Map<Position, EffectRequest>();
  private readonly waiting = new Map<Position, Task>();
  private givenUp: Position[] = [];
  private readonly everGivenUp = new Set<Position>();

  constructor(private readonly meter: RunMeter) {}

  wait(task: Task, request: EffectRequest): void {
    task.request = request;
    this.meter.keep(request.bytes);
    this.pending.set(request.position, request);
    this.waiting.set(request.position, task);
  }

  taskAt(position: Position): Task | undefined {
    return this.waiting.get(position);
  }

  /** That of the task that waits for the effect at this position; null: none does. */
  scopeAt(position: Position): Scope | null {
    const task = this.waiting.get(position);
    return task === undefined ? null : currentFrame(task.thread).scope;
  }

  /** The task doesn't wait for its effect any more. */
  forget(task: Task): void {
    if (task.request === null) return;
    const { position, bytes } = task.request;
    this.waiting.delete(position);
    this.pending.delete(position);
    task.request = null;
    this.meter.release(bytes);
  }

  /** Nobody waits for the effect of this task any more, whatever comes of it. */
  giveUp(task: Task): void {
    if (task.request === null) return;
    this.givenUp.push(task.request.position);
    this.everGivenUp.add(task.request.position);
    this.forget(task);
  }

  /** Positions of effects that nobody waits for any longer, since the last call. */
  takeGivenUp(): Position[] {
    const { givenUp } = this;
    this.givenUp = [];
    return givenUp;
  }

  /** Whether a task waits for the effect at this position, or has given it up. */
  isAwaited(position: Position): boolean {
    return this.pending.has(position) || this.everGivenUp.has(position);
  }
}
