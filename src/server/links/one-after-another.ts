/** Lets what has one name happen one after another: who comes second sees what the first has done. */
export class OneAfterAnother {
  private readonly last = new Map<string, Promise<unknown>>();

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const own = before.then(task, task);
    this.last.set(name, own);
    try {
      return await own;
    } finally {
      if (this.last.get(name) === own) this.last.delete(name);
    }
  }
}
