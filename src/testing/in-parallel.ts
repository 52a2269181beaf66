import { availableParallelism } from 'node:os';

/** One for each processor, and four at most: every run has a worker's and a server's work behind it. */
export function defaultParallel(): number {
  return Math.min(4, availableParallelism());
}

/** Does tasks side by side, no more than `limit` of them at a time, begun in their order. */
export async function inParallel(tasks: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const waiting = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: Math.max(1, limit) }, work));
}
