import { TactusError, type Screen } from '../command.js';
import { openRunIndex } from '../../read-model/open-run-index.js';
import type { RunIndex } from '../../read-model/run-index.js';
import { indexPlace } from '../configure.js';

/**
 * The index of the runs of a server; null where there is none, or it can't be used.
 * @throws TactusError missing_package, usage
 */
export async function openIndex(isEmbedded: boolean, screen: Screen): Promise<RunIndex | null> {
  const place = indexPlace(isEmbedded);
  if (place === null) return null;
  return openRunIndex(place).catch((error: unknown) => passedOver(error, screen));
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
