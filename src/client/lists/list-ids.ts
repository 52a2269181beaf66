import type { Client } from '@temporalio/client';
import type { IndexedIdFilter } from '../../read-model/run-index.js';
import type { RunStatus } from '../../contract/runs/status.js';
import { filteredPages } from './server-list.js';
import { behind, compareIds } from '../storage/procedure-id.js';

/** Which ids are wanted, in the order of their characters. */
export interface RunIdFilter {
  status?: RunStatus | undefined;
  prefix?: string | undefined;
  /** The id before the first; left out: from the beginning. */
  after?: string | undefined;
  /** Left out: all. */
  limit?: number | undefined;
}

/** The same, as an index is asked for it. */
export function toIndexedIds({ status, prefix = '', after = '', limit }: RunIdFilter): IndexedIdFilter {
  const isBehind = compareIds(after, prefix) >= 0;
  return { status, from: isBehind ? after : prefix, isBehind, before: behind(prefix), limit };
}

/** How the server calls the ends of runs in questions to its list. */
const endNames: Partial<Record<RunStatus, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
  terminated: 'Terminated',
  timed_out: 'TimedOut',
};

/** Ids of runs by the server's list, which may lag a moment behind. It has no order of ids: all that it has is read, for whatever part of them. */
export async function listIds(
  client: Client,
  { status, prefix, after = '', limit }: RunIdFilter,
): Promise<string[]> {
  const terms = status === undefined ? [] : [`ExecutionStatus = '${endNames[status] ?? 'Running'}'`];
  const ids = new Set<string>();
  for await (const page of filteredPages(client, { prefix }, terms))
    for (const run of page)
      if ((status === undefined || run.status === status) && compareIds(run.run_id, after) > 0)
        ids.add(run.run_id);
  return [...ids].sort(compareIds).slice(0, limit);
}
