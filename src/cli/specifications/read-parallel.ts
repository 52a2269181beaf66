import { defaultParallel } from '../../testing/in-parallel.js';
import { readCount } from '../terminal/read-count.js';

/** How many runs at once: as asked for, else as many as is sensible here. @throws TactusError usage */
export function readParallel(given: string | undefined): number {
  return given === undefined ? defaultParallel() : readCount(given, '--parallel');
}
