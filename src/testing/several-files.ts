import { availableParallelism } from 'node:os';
import { TactusError, type RunError } from '../contract/errors.js';

/** A file of several that couldn't be read or loaded. */
export interface UnloadedFile {
  file: string;
  error: RunError;
}

/**
 * Reads each of several files. One that can't be loaded keeps the others from nothing.
 * @throws TactusError the first file's, where none can be loaded
 */
export async function readEach<T extends object>(
  files: readonly string[],
  read: (file: string) => Promise<T>,
): Promise<(T | UnloadedFile)[]> {
  const entries: (T | UnloadedFile)[] = [];
  let first: TactusError | null = null;
  for (const file of files)
    try {
      entries.push(await read(file));
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      first ??= error;
      entries.push({ file, error: error.toRunError() });
    }
  if (first !== null && !entries.some((entry) => !isUnloaded(entry))) throw first;
  return entries;
}

export function isUnloaded(entry: object): entry is UnloadedFile {
  return 'error' in entry;
}

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
