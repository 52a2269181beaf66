import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';

/** Something that reached the run from outside: an answer, a timer, a signal, an Update, a request to end. */
export interface Event {
  /** When it came, in ms since 1970. */
  at: number;
  /** The server suggested to continue as new when it came. */
  suggested: boolean;
  /** What it does in its turn. Runs to its end at once. */
  run: () => void;
  /** Another execution must know of it if this one ends before its turn. */
  lasts: boolean;
}

/**
 * All that reaches a run from outside, one after the other, in the order in which history has it. Nothing is done when
 * something arrives, but here in its turn.
 *
 * Owns: the events that wait for their turn.
 * Asks: nobody. `Run` takes the events.
 * Invariants:
 *  1. An event's turn comes when all that came before it have had theirs, and never while the worker is at a local
 *     activity of the run. So what the run does is a function of the events in their order, and not of when it hears
 *     of them.
 *  2. What one event leads to has been done before the next has its turn, however many came together.
 *  3. No command follows from an arrival itself, but for the acceptance of an Update: see `Inbox`.
 */
export class Sequence {
  private readonly events: Event[] = [];

  get isEmpty(): boolean {
    return this.events.length === 0;
  }

  get length(): number {
    return this.events.length;
  }

  add(run: () => void, { lasts = false } = {}): void {
    this.events.push({ run, lasts, at: Date.now(), suggested: workflowInfo().continueAsNewSuggested });
  }

  /** Tells of a promise's end in its turn. */
  follow<T>(promise: Promise<T>, kept: (value: T) => void, broken: (error: unknown) => void): void {
    promise.then(
      (value) => this.add(() => kept(value)),
      (error: unknown) => this.add(() => broken(error)),
    );
  }

  take(): Event | undefined {
    return this.events.shift();
  }

  /** Something is there that another execution would have to know. */
  get hasLasting(): boolean {
    return this.events.some(({ lasts }) => lasts);
  }

  /** What another execution has to know. The rest is asked for anew there. */
  takeLasting(): Event[] {
    return this.events.splice(0).filter(({ lasts }) => lasts);
  }

  arrival(): Promise<void> {
    return condition(() => !this.isEmpty);
  }
}

/** Waits until everything that the events at hand lead to has been done. */
export function drained(): Promise<void> {
  let isLater = false;
  void Promise.resolve().then(() => (isLater = true));
  return condition(() => isLater);
}

/** Begins something with Temporal, and is told of its end in its turn. */
export interface Follower {
  follow<T>(begin: () => Promise<T>, kept: (value: T) => void, broken: (error: unknown) => void): void;
}

/** Follows for as long as the execution lasts. */
export function lastingFollower(sequence: Sequence): Follower {
  return {
    follow: (begin, kept, broken) =>
      sequence.follow(
        CancellationScope.nonCancellable(() => begin()),
        kept,
        broken,
      ),
  };
}
