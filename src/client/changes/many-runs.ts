import { isTrial } from '../../contract/changes/trial.js';
import type { RunStatus } from '../../contract/runs/run-view.js';
import type { IndexedRunFilter } from '../../read-model/run-index.js';
import type { TactusClient } from '../tactus-client.js';

/** Runs that are changed at once. */
export const atOnce = 8;
/** Runs of one page of the list. */
const pageSize = 500;

/** Does something with parts of what pages have, while there is a number of them left to do. */
export async function inParts(
  pages: AsyncIterable<string[]> | Iterable<string[]>,
  size: number,
  left: () => number,
  work: (ids: string[]) => Promise<void>,
): Promise<void> {
  for await (const ids of pages)
    while (ids.length > 0 && left() > 0) await work(ids.splice(0, Math.min(size, left())));
}

/** Ids of runs, the newest start first, a page at a time. */
export async function* runPages(
  tactus: Pick<TactusClient, 'list'>,
  {
    status,
    versions,
    ...filter
  }: Omit<IndexedRunFilter, 'status' | 'limit' | 'after'> & {
    status?: ReadonlySet<RunStatus>;
    /** Of a published procedure; left out: any. */
    versions?: ReadonlySet<number> | undefined;
  },
): AsyncGenerator<string[], void, unknown> {
  for (let after: string | undefined; ;) {
    const { runs, next } = await tactus.list({ ...filter, limit: pageSize, after });
    yield runs
      .filter((run) => status?.has(run.status) !== false && !isTrial(run.run_id))
      .filter(({ published }) => versions?.has(published?.version ?? 0) !== false)
      .map(({ run_id: id }) => id);
    if (next === null) return;
    after = next;
  }
}
