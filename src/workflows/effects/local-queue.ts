/**
 * Lets a run have one local activity at a time. Those that run side by side answer one after another the first time,
 * and all in one go when the run is replayed: the clock that the procedure is shown would not be the same.
 */
export class LocalQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** Starts the activity when those before it have ended; gives and throws what it does. */
  run<T>(start: () => Promise<T>): Promise<T> {
    const result = this.last.then(start);
    this.last = result.catch(() => undefined);
    return result;
  }
}
