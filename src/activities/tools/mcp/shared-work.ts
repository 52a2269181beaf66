/**
 * Work that several wait for. Whoever waits may stop to, and the others get its result; it is given up when nobody waits.
 *
 * Owns: the signal that the work is given.
 * Asks: nobody.
 * Invariants: 1. A signal of one who waits ends the waiting of that one alone. 2. The work's own signal is raised once at most, never
 * after it has ended, and only when nobody waits.
 */
export class SharedWork<T> {
  readonly result: Promise<T>;
  /** It was given up, or has failed: whoever comes needs another. */
  isOver = false;
  private isDone = false;
  private waiting = 0;
  private readonly ending = new AbortController();

  constructor(begin: (signal: AbortSignal) => Promise<T>) {
    this.result = begin(this.ending.signal);
    this.result.then(
      () => (this.isDone = true),
      () => (this.isDone = this.isOver = true),
    );
  }

  /** @throws what the signal says, when it is raised; what the work throws */
  async waitFor(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    let stop = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
    });
    this.waiting++;
    try {
      return await Promise.race([this.result, stopped]);
    } finally {
      signal.removeEventListener('abort', stop);
      this.waiting--;
      if (this.waiting === 0 && !this.isDone) this.giveUp(signal.reason);
    }
  }

  private giveUp(reason: unknown): void {
    this.isOver = true;
    this.ending.abort(reason);
  }
}
