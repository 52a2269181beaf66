import { freshenIndex } from '../../client/lists/freshen-index.js';
import type { RunIndex } from '../../read-model/run-index.js';
import type { FoundRequests } from './find-pending.js';
import type { WantedFilter } from '../../read-model/is-wanted.js';
import type { AskedRequest } from './pending-filter.js';
import type { Session } from '../session.js';

const pageSize = 1_000;

/**
 * Open requests of all runs, the oldest first, without asking the runs: only those are asked that the index isn't sure of.
 * `others`: how many more there are that the filter leaves out.
 */
export async function pendingFromIndex(
  session: Session,
  index: RunIndex,
  filter: WantedFilter,
): Promise<FoundRequests & { others: number }> {
  const missing = await freshenIndex(session.client, index, { ask: (runId) => session.view(runId) });
  const unheard = new Set(missing.map(({ run_id }) => run_id));
  const pending: AskedRequest[] = [];
  let found = 0;
  for (let after: string | undefined; ;) {
    const { items, next } = await index.requests({ ...filter, limit: pageSize, after });
    found += items.length;
    // What they had asked may be answered by now.
    pending.push(...items.filter(({ run_id }) => !unheard.has(run_id)));
    if (next === null) break;
    after = next;
  }
  const { requests } = await index.counts();
  return { pending, missing, others: Math.max(0, requests - found) };
}
