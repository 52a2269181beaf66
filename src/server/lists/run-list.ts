import { listRuns, type ListedRun, type RunFilter } from '../../client/list-runs.js';
import type { ServedNamespace } from '../served-namespace.js';

/** Whence a list comes: from an index of runs, or from the server and the runs themselves. */
export type Source = 'index' | 'runs';

export interface RunPage {
  source: Source;
  runs: ListedRun[];
  next: string | null;
}

export interface RunSearch extends RunFilter {
  /** Found in id or procedure. */
  text?: string | undefined;
}

/** So many runs are looked through for a text before a page ends, however few it holds. */
const mostLookedAt = 2_000;

/**
 * Runs, the newest first.
 * @throws TactusError usage where `after` is no `next`
 */
export async function runPage({ tactus }: ServedNamespace, { text, ...filter }: RunSearch): Promise<RunPage> {
  const list = async (page: RunFilter): Promise<RunPage> => ({
    source: 'runs',
    ...(await listRuns(tactus.client, page)),
  });
  if (text === undefined) return list(filter);
  const wanted = text.toLowerCase();
  const found: ListedRun[] = [];
  let { after } = filter;
  for (let lookedAt = 0; ; lookedAt += filter.limit) {
    // No more than are missing: where a page ends is where the last list has.
    const { source, runs, next } = await list({ ...filter, after, limit: filter.limit - found.length });
    found.push(
      ...runs.filter(({ run_id, procedure }) => `${run_id}\n${procedure}`.toLowerCase().includes(wanted)),
    );
    if (next === null || found.length === filter.limit || lookedAt >= mostLookedAt)
      return { source, runs: found, next };
    after = next;
  }
}
