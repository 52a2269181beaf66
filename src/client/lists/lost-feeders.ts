import { hostname } from 'node:os';
import type { Feeder, RunIndex } from '../../read-model/run-index.js';
import { isRunning } from '../runs/is-running.js';

/** How often a worker says that it still writes into an index, in ms. */
export const feederBeatMs = 20_000;
const silentMs = 4 * feederBeatMs;

/** Workers that are gone without having written all that their runs told them. */
export async function lostFeeders(index: RunIndex): Promise<string[]> {
  const feeders = await index.feeders();
  return feeders.filter((feeder) => !isThere(feeder)).map(({ id }) => id);
}

/** Of those on this machine the process tells, too. */
function isThere({ host, pid, seenAt }: Feeder): boolean {
  if (host === hostname() && !isRunning(pid)) return false;
  return Date.now() - seenAt < silentMs;
}
