/** Does something with each of several things, so many at once; ends with the first error. */
export async function eachLimit<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const go = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, go));
}

/** Runs tasks of the same key one after the other, and those of different keys side by side. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** A task that fails doesn't stop those behind it. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    this.#last.set(key, result);
    const forget = (): void => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(forget, forget);
    return result;
  }
}

/** Something that is done once, when it is needed first; where it fails, it is done again for who asks next. */
export class Once {
  #doing: Promise<void> | null = null;

  constructor(private readonly task: () => Promise<void>) {}

  async done(): Promise<void> {
    const doing = (this.#doing ??= this.task());
    await doing.catch((error: unknown) => {
      if (this.#doing === doing) this.#doing = null;
      throw error;
    });
  }
}
