import type { Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import { searchAttributeNames } from '../../contract/names.js';
import { isOver, runStatuses, type RunStatus } from '../../contract/runs/run-view.js';
import type {
  IndexedRequest,
  IndexedRequestFilter,
  IndexedRun,
  IndexedRunFilter,
  RunCountFilter,
} from '../../read-model/run-index.js';
import { endOf } from '../runs/view-run.js';
import { compareIds } from '../storage/storage-backend.js';
import type { Unasked } from './reconcile-index.js';
import type { NamespaceAttributes } from './search-attributes.js';
import {
  countByExecutionStatus,
  countRuns,
  filteredPages,
  filterTerms,
  isPlain,
  quote,
  type ListedRun,
} from './server-runs.js';

/** How many runs there are, and how many stand so. What has none is left out. */
export interface RunCounts {
  runs: number;
  by_status: Partial<Record<RunStatus, number>>;
}

/** What runs tell the server of themselves while they are open. */
const statusesFromRuns = runStatuses.filter((status) => !isOver(status) && status !== 'running');

/**
 * Counts runs in the server's list, which may lag a moment behind. No worker is asked, and the list isn't read unless the prefix has characters that the server takes for others. What open runs wait
 * for is known where the namespace has our search attributes; elsewhere all of them count as running.
 */
async function countServerRuns(
  client: Client,
  filter: RunCountFilter,
  knownAttributes: () => Promise<NamespaceAttributes>,
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
  if (open > 0 && (await knownAttributes()) !== false)
    for (const status of statusesFromRuns) {
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

/**
 * Runs, the newest start first. The server's list may lag a moment behind. `next`: where the next page begins, null at the
 * end.
 * @throws TactusError usage where `after` is no `next`
 */
export async function listRuns(
  client: Client,
  filter: IndexedRunFilter,
): Promise<{ runs: ListedRun[]; next: string | null }> {
  const after = filter.after === undefined ? null : readPlace(filter.after);
  const runs: ListedRun[] = [];
  for await (const run of newestFirst(client, filter, after)) {
    if (after?.ids.includes(run.run_id) === true) continue;
    // A status is compared here: the server knows only that which a run last told, not how it ended without it.
    if (filter.status !== undefined && run.status !== filter.status) continue;
    if (runs.length === filter.limit) return { runs, next: placeAfter(runs, after) };
    runs.push(run);
  }
  return { runs, next: null };
}

const hourMs = 3_600_000;
const longAgoMs = 20 * 365 * 24 * hourMs;

/** The server gives open runs first and can't be told otherwise: they are asked for by ever longer stretches of time. */
async function* newestFirst(
  client: Client,
  filter: IndexedRunFilter,
  after: Place | null,
): AsyncGenerator<ListedRun> {
  const listed = new Set<string>();
  const newest = after === null ? Date.now() + hourMs : Date.parse(after.at) + 1;
  for (let to = newest, ms = 2 * hourMs; newest - to < longAgoMs; to -= ms, ms *= 12) {
    const terms = `StartTime >= '${isoOf(to - ms)}' AND StartTime < '${isoOf(to)}'`;
    const found: ListedRun[] = [];
    for await (const page of filteredPages(client, filter, [terms]))
      found.push(...page.map(({ execution: _, ...run }) => run));
    // Of a run that was reset, or whose id was used again, the last execution is the run.
    const runs = found.sort((a, b) =>
      a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0,
    );
    for (const run of runs) {
      if (!listed.has(run.run_id)) yield run;
      listed.add(run.run_id);
    }
  }
}

function isoOf(ms: number): string {
  return new Date(Math.max(0, ms)).toISOString();
}

/** Where a page ended: when its last run began, and which of that time it had. */
interface Place {
  at: string;
  ids: string[];
}

function placeAfter(runs: readonly ListedRun[], before: Place | null): string {
  const at = runs.at(-1)?.started_at ?? '';
  const ids = runs.filter(({ started_at }) => started_at === at).map(({ run_id }) => run_id);
  const place: Place = { at, ids: before?.at === at ? [...before.ids, ...ids] : ids };
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readPlace(token: string): Place {
  try {
    const place = JSON.parse(Buffer.from(token, 'base64url').toString()) as Partial<Place>;
    if (!Number.isNaN(Date.parse(place.at ?? '')) && Array.isArray(place.ids)) return place as Place;
  } catch {
    // Said below.
  }
  throw new TactusError('usage', `${token} is not a page token: pass the \`next\` of the page before`);
}

/** Which ids are wanted, in the order of their characters. */
export interface RunIdFilter {
  status?: RunStatus | undefined;
  prefix?: string | undefined;
  /** The id before the first; left out: from the beginning. */
  after?: string | undefined;
  /** Left out: all. */
  limit?: number | undefined;
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
async function listIds(
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

/** What each page of a list has. */
export interface ListPage {
  /** `after` of the page that follows; null at the end. */
  next: string | null;
  /** Runs that had to be asked and gave no answer: of them it has what was known last. Found out with the first page. */
  missing: Unasked[];
}

/** A page of runs, and whence it comes: the server alone doesn't know what runs wait for, have used or ended with. */
export type RunList = ListPage &
  ({ source: 'index'; runs: IndexedRun[] } | { source: 'runs'; runs: ListedRun[] });

/** A page of open requests. */
export interface RequestList extends ListPage {
  requests: IndexedRequest[];
}

/** Where a client finds runs. */
export interface RunLists {
  runs(filter: IndexedRunFilter): Promise<RunList>;
  ids(filter: RunIdFilter): Promise<string[]>;
  count(filter: RunCountFilter): Promise<RunCounts>;
  /** @throws TactusError usage where only an index has them */
  requests(filter: IndexedRequestFilter): Promise<RequestList>;
}

/** What the server's list has, which may lag a moment behind. No run is asked. */
export class ServerLists implements RunLists {
  constructor(
    private readonly client: Client,
    private readonly knownAttributes: () => Promise<NamespaceAttributes>,
  ) {}

  async runs(filter: IndexedRunFilter): Promise<RunList> {
    return { source: 'runs', ...(await listRuns(this.client, filter)), missing: [] };
  }

  ids(filter: RunIdFilter): Promise<string[]> {
    return listIds(this.client, filter);
  }

  count(filter: RunCountFilter): Promise<RunCounts> {
    return countServerRuns(this.client, filter, this.knownAttributes);
  }

  requests(): Promise<never> {
    return Promise.reject(
      new TactusError(
        'usage',
        'This TactusClient has no index of runs. Pass one: new TactusClient(client, { index })',
      ),
    );
  }
}
