import type { Client } from '@temporalio/client';
import { searchAttributeNames } from '../../contract/names.js';
import { isOver, runStatuses, type RunStatus } from '../../contract/runs/status.js';
import type { RunCountFilter } from '../../read-model/run-index.js';
import {
  countByExecutionStatus,
  countRuns,
  filteredPages,
  filterTerms,
  isPlain,
  quote,
} from './server-list.js';
import { endOf } from '../runs/view-run.js';

/** How many runs there are, and how many stand so. What has none is left out. */
export interface RunCounts {
  runs: number;
  by_status: Partial<Record<RunStatus, number>>;
}

/** What runs tell the server of themselves while they are open. */
const told = runStatuses.filter((status) => !isOver(status) && status !== 'running');

/**
 * Counts runs in the server's list, which may lag a moment behind. No worker is asked, and the list isn't read unless the prefix has characters that the server takes for others. What open runs wait
 * for is known where the namespace has our search attributes; elsewhere all of them count as running.
 */
export async function countServerRuns(
  client: Client,
  filter: RunCountFilter,
  hasSearchAttributes: () => Promise<boolean>,
): Promise<RunCounts> {
  if (!isPlain(filter.prefix)) return countListed(client, filter);
  const terms = filterTerms(filter);
  const counts: RunCounts['by_status'] = {};
  let open = 0;
  for (const [name, count] of await countByExecutionStatus(client, terms)) {
    const end = endOf(name);
    if (end === null) open += count;
    else counts[end] = count;
  }
  if (open > 0 && (await hasSearchAttributes()))
    for (const status of told) {
      const isSo = `ExecutionStatus = 'Running' AND ${searchAttributeNames.status} = ${quote(status)}`;
      counts[status] = await countRuns(client, [...terms, isSo]);
      open -= counts[status] ?? 0;
    }
  counts.running = Math.max(0, open);
  return ofStatus(counts, filter.status);
}

/** The same by the list itself, where the server can't be asked for that alone which is counted. */
async function countListed(client: Client, filter: RunCountFilter): Promise<RunCounts> {
  const counts: RunCounts['by_status'] = {};
  for await (const page of filteredPages(client, filter))
    for (const { status } of page) counts[status] = (counts[status] ?? 0) + 1;
  return ofStatus(counts, filter.status);
}

/** What is left where one status alone is wanted. */
export function ofStatus(counts: RunCounts['by_status'], wanted: string | undefined): RunCounts {
  const by_status = Object.fromEntries(
    runStatuses.flatMap((status) => {
      const count = counts[status] ?? 0;
      return count > 0 && (wanted === undefined || wanted === status) ? [[status, count]] : [];
    }),
  ) as RunCounts['by_status'];
  return { runs: Object.values(by_status).reduce((sum, count) => sum + count, 0), by_status };
}
