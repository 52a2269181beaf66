import { availableParallelism } from 'node:os';
import { readCount } from './read-count.js';

/** How many runs at once: as asked for, else one for each processor, and four at most. @throws TactusError usage */
export function readParallel(given: string | undefined): number {
  return given === undefined ? Math.min(4, availableParallelism()) : readCount(given, '--parallel');
}
