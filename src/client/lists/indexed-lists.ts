import type { Client } from '@temporalio/client';
import type {
  IndexedIdFilter,
  IndexedRequestFilter,
  IndexedRunFilter,
  RunCountFilter,
  RunIndex,
} from '../../read-model/run-index.js';
import { behind, compareIds } from '../storage/storage-backend.js';
import {
  ofStatus,
  type RequestList,
  type RunCounts,
  type RunIdFilter,
  type RunList,
  type RunLists,
} from './list-runs.js';
import { freshenIndex, type Unasked } from './reconcile-index.js';

/** Those who ask within so many ms have the index as it is: a server takes few questions to its list in a second, 10 unless it is told otherwise. */
const freshMs = 500;
/** How often what is found out by numbers alone is looked for, in ms: what was deleted. */
const countedMs = 10_000;

/** Lists out of an index, which is made to say how things stand before their first page is read. */
export class IndexedLists implements RunLists {
  private last: { at: number; missing: Promise<Unasked[]> } | null = null;
  private countedAt = -Infinity;

  constructor(
    private readonly client: Client,
    private readonly index: RunIndex,
  ) {}

  async runs(filter: IndexedRunFilter): Promise<RunList> {
    const missing = await this.freshen(filter);
    const { items, next } = await this.index.runs(filter);
    return { source: 'index', runs: items, next, missing };
  }

  async ids(filter: RunIdFilter): Promise<string[]> {
    await this.freshen(filter);
    return this.index.ids(toIndexedIds(filter));
  }

  async count(filter: RunCountFilter): Promise<RunCounts> {
    await this.freshen({});
    return ofStatus((await this.index.counts(filter)).byStatus, undefined);
  }

  async requests(filter: IndexedRequestFilter): Promise<RequestList> {
    const missing = await this.freshen(filter);
    const { items, next } = await this.index.requests(filter);
    return { requests: items, next, missing };
  }

  /** Further pages belong to the first. Whoever asks while it is done for somebody else waits for the same. */
  private freshen({ after }: { after?: string | undefined }): Promise<Unasked[]> {
    if (after !== undefined) return Promise.resolve([]);
    const now = performance.now();
    if (this.last !== null && now - this.last.at < freshMs) return this.last.missing;
    const isCounted = now - this.countedAt >= countedMs;
    if (isCounted) this.countedAt = now;
    const missing = freshenIndex(this.client, this.index, { isCounted });
    const last = (this.last = { at: Infinity, missing });
    missing.then(
      () => (last.at = performance.now()),
      () => (this.last = null),
    );
    return missing;
  }
}

/** The same, as an index is asked for it. */
function toIndexedIds({ status, prefix = '', after = '', limit }: RunIdFilter): IndexedIdFilter {
  const isBehind = compareIds(after, prefix) >= 0;
  return { status, from: isBehind ? after : prefix, isBehind, before: behind(prefix), limit };
}
