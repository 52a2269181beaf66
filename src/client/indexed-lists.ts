import type { Client } from '@temporalio/client';
import type {
  IndexedRequest,
  IndexedRequestFilter,
  IndexedRunFilter,
  RunIndex,
} from '../read-model/run-index.js';
import { freshenIndex } from './freshen-index.js';
import type { Unasked } from './reconcile-index.js';
import type { ListedRun } from './server-list.js';

/** A page of runs, and whence it comes. */
export interface RunList {
  source: 'index' | 'runs';
  runs: ListedRun[];
  next: string | null;
}

/** A page of open requests, and the runs whose requests may be missing. */
export interface RequestList {
  requests: IndexedRequest[];
  next: string | null;
  missing: Unasked[];
}

export async function listFromIndex(
  client: Client,
  index: RunIndex,
  filter: IndexedRunFilter,
): Promise<RunList> {
  // Further pages belong to the first.
  if (filter.after === undefined) await freshenIndex(client, index);
  const { items, next } = await index.runs(filter);
  return { source: 'index', runs: items, next };
}

export async function requestsFromIndex(
  client: Client,
  index: RunIndex,
  filter: IndexedRequestFilter,
): Promise<RequestList> {
  const missing = filter.after === undefined ? await freshenIndex(client, index) : [];
  const { items, next } = await index.requests(filter);
  return { requests: items, next, missing };
}
