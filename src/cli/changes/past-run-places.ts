import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { exportedRun, pastRun, type PastRunPlace } from '../../client/runs/index.js';
import type { Session } from '../session.js';

/**
 * Runs that have ended, by their ids, and files that `export` has written.
 * @throws TactusError run_not_found; file_failed of a file that holds no run
 */
export async function placesOf(session: Session, named: readonly string[]): Promise<PastRunPlace[]> {
  const places = new Map<string, PastRunPlace>();
  for (const each of new Set(named)) {
    const isFile = statSync(each, { throwIfNoEntry: false })?.isFile() === true;
    const place = isFile
      ? exportedRun(await readFile(each, 'utf8'), each)
      : await session.asking.look(() => pastRun(session.tactus.attach(each)));
    places.set(place.runId, place);
  }
  return [...places.values()];
}

/** The same, read by a worker that is there, or is brought. */
export function asked(session: Session, place: PastRunPlace): PastRunPlace {
  return { ...place, read: () => session.ask(() => place.read(), place.version === null) };
}
