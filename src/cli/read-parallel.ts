import { availableParallelism } from 'node:os';
import { TactusError } from '../contract/errors.js';

/** How many runs at once: as asked for, else one for each processor, and four at most. @throws TactusError usage */
export function readParallel(given: string | undefined): number {
  if (given === undefined) return Math.min(4, availableParallelism());
  const count = Number(given);
  if (!Number.isInteger(count) || count < 1)
    throw new TactusError('usage', `--parallel takes a positive integer, not ${given}`);
  return count;
}
