import type { Client } from '@temporalio/client';
import type {
  IndexedRequest,
  IndexedRequestFilter,
  IndexedRun,
  IndexedRunFilter,
  RunCountFilter,
  RunIndex,
} from '../../read-model/run-index.js';
import { freshenIndex } from './freshen-index.js';
import type { Unasked } from './reconcile-index.js';
import { ofStatus, toIndexedIds, type RunCounts, type RunIdFilter } from './list-runs.js';
import type { ListedRun } from './server-list.js';

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

/** Those who ask within so many ms have the index as it is: a server takes few questions to its list in a second, 10 unless it is told otherwise. */
const freshMs = 500;
/** How often what is found out by numbers alone is looked for, in ms: what was deleted. */
const countedMs = 10_000;

/** Lists out of an index, which is made to say how things stand before their first page is read. */
export class IndexedLists {
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
