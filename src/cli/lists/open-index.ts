import { TactusError, type Screen } from '../command.js';
import { openRunIndex } from '../../read-model/open-run-index.js';
import type { RunIndex } from '../../read-model/run-index.js';
import { configure, indexPlace } from '../configure.js';
import type { Session } from '../session.js';

/**
 * Does something with the index of the runs of a server; with null where there is none.
 * @throws TactusError config_invalid, missing_package, usage
 */
export async function withIndex<T>(
  session: Session,
  screen: Screen,
  work: (index: RunIndex | null) => Promise<T>,
): Promise<T> {
  await configure(null, {}, screen);
  const place = indexPlace(session.embedded !== null);
  if (place === null) return work(null);
  const index = await openRunIndex(place).catch((error: unknown) => passedOver(error, screen));
  if (index === null) return work(null);
  try {
    return await work(index);
  } finally {
    await index.close();
  }
}

/** What the index says; what the runs say where there is none, or it can't be used: a full disk, a database that is away. */
export async function preferIndex<T>(
  index: RunIndex | null,
  screen: Screen,
  fromIndex: (index: RunIndex) => Promise<T>,
  fromRuns: () => Promise<T>,
): Promise<T> {
  if (index === null) return fromRuns();
  try {
    return await fromIndex(index);
  } catch (error) {
    passedOver(error, screen);
    return fromRuns();
  }
}

function passedOver(error: unknown, screen: Screen): null {
  if (error instanceof TactusError) throw error;
  const { message = '', code = '' } = error as { message?: string; code?: string };
  screen.warn(`The index can't be used (${message === '' ? code : message}): the runs are asked`);
  return null;
}
