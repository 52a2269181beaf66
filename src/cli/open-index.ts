import { openRunIndex } from '../read-model/open-run-index.js';
import type { RunIndex } from '../read-model/run-index.js';
import { configure } from './configure.js';
import { indexPlace } from './index-place.js';
import type { Screen } from './screen.js';
import type { Session } from './session.js';

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
  const index = await openRunIndex(place);
  try {
    return await work(index);
  } finally {
    await index.close();
  }
}
