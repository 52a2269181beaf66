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
