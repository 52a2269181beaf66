import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describeRun, endOf } from '../../client/index.js';
import type { IndexedRequest } from '../../read-model/run-index.js';
import type { RequestBoard } from '../people/request-board.js';
import type { ListedRun } from '../runs/run.schema.js';
import { runPage, type ServedNamespace } from '../served-namespace.js';
import type { ServerEvent } from './run-events.js';

/** Pauses between looks, in ms; after a look that took long, ten times as long as it took. */
const pauses = { shortest: 500, longest: 30_000, times: 10 } as const;
const newestRuns = 200;
/** So many events are kept for those who come again. */
const mostKept = 2_000;

interface Kept {
  number: number;
  event: ServerEvent;
}

/**
 * What changes in a namespace: `run` for one that has begun or stands otherwise, `request` for one that is opened or closed.
 *
 * Owns: what the last look found, and the newest events with their numbers.
 * Asks: the list of runs and `RequestBoard`, once for all who follow.
 * Invariants:
 *  1. It looks only as long as somebody follows, one look at a time.
 *  2. Nobody is sent anything before a look has ended, so that what changes after a `reset` is sent.
 *  3. Numbers ascend by one. At most `mostKept` events are kept; whoever missed more gets a `reset`.
 */
export class NamespaceWatch {
  /** Tells the numbers of this process from those of another. */
  private readonly epoch = randomBytes(6).toString('base64url');
  private readonly kept: Kept[] = [];
  private number = 0;
  private readonly listeners = new Set<() => void>();
  private readonly over = new AbortController();
  private looking: Promise<void> | null = null;
  /** The first look since somebody follows. */
  private first: Promise<void> = Promise.resolve();
  private runs: ReadonlyMap<string, ListedRun> | null = null;
  private requests: ReadonlyMap<string, IndexedRequest> | null = null;

  constructor(
    private readonly namespace: ServedNamespace,
    private readonly board: RequestBoard,
  ) {}

  /**
   * Sends what changes, from after `last` on. Where that isn't known any more, `reset` says that all is to be read again.
   */
  async follow(
    last: string | undefined,
    signal: AbortSignal,
    send: (event: ServerEvent) => Promise<void>,
  ): Promise<void> {
    let wake: () => void = () => undefined;
    const onWake = (): void => wake();
    this.listeners.add(onWake);
    signal.addEventListener('abort', onWake);
    try {
      await this.start();
      let seen = this.numberOf(last);
      if (seen === null) {
        seen = this.number;
        await send({ event: 'reset', id: this.idOf(seen), data: {} });
      }
      while (!signal.aborted && !this.over.signal.aborted) {
        const next = this.kept.find(({ number }) => number > Number(seen));
        if (next === undefined) {
          await new Promise<void>((resolve) => (wake = resolve));
        } else {
          seen = next.number;
          await send(next.event);
        }
      }
    } finally {
      this.listeners.delete(onWake);
      signal.removeEventListener('abort', onWake);
    }
  }

  close(): void {
    this.over.abort();
    for (const wake of this.listeners) wake();
  }

  /** Resolves when it has looked once. */
  private async start(): Promise<void> {
    if (this.looking === null) {
      this.first = this.look();
      this.looking = this.first.then(() => this.goOn()).finally(() => (this.looking = null));
      this.looking.catch(() => undefined);
    }
    await this.first;
  }

  private async goOn(): Promise<void> {
    const { signal } = this.over;
    for (let ms = 0; this.listeners.size > 0 && !signal.aborted;) {
      const pause = Math.min(pauses.longest, Math.max(pauses.shortest, ms * pauses.times));
      await delay(pause, undefined, { signal }).catch(() => undefined);
      const start = Date.now();
      // Who looks on waits until the server is there again.
      await this.look().catch(() => undefined);
      ms = Date.now() - start;
    }
  }

  private async look(): Promise<void> {
    const [newest, open, board] = await Promise.all([
      runPage(this.namespace, { limit: newestRuns }),
      runPage(this.namespace, { isOpen: true, limit: 1_000 }),
      this.board.look(),
    ]);
    const runs = new Map([...open.runs, ...newest.runs].map((run) => [run.run_id, run]));
    const unheard = new Set(board.missing.map(({ run_id }) => run_id));
    const requests = new Map(board.requests.map((request) => [request.id, request]));
    // What a run had asked that can't be asked now is still there.
    for (const [id, request] of this.requests ?? [])
      if (unheard.has(request.run_id) && !requests.has(id)) requests.set(id, request);
    for (const run of changedRuns(this.runs ?? runs, runs)) this.add('run', run);
    for (const run of await this.vanished(this.runs ?? runs, runs)) this.add('run', run);
    if (this.requests !== null) {
      for (const [id, { run_id }] of this.requests)
        if (!requests.has(id)) this.add('request', { id, run_id, state: 'closed' });
      for (const [id, request] of requests) {
        const before = this.requests.get(id);
        if (before === undefined || JSON.stringify(before) !== JSON.stringify(request))
          this.add('request', { id, run_id: request.run_id, state: 'open' });
      }
    }
    this.runs = runs;
    this.requests = requests;
  }

  /** Those that were open and are in no list any more: they have ended, and newer ones have come since. */
  private async vanished(
    before: ReadonlyMap<string, ListedRun>,
    after: ReadonlyMap<string, ListedRun>,
  ): Promise<ListedRun[]> {
    const gone = [...before.values()].filter((run) => run.closed_at === null && !after.has(run.run_id));
    return Promise.all(
      gone.map(async (run) => {
        const { status, closeTime } = await describeRun(this.namespace.tactus.attach(run.run_id));
        return {
          ...run,
          status: endOf(status.name) ?? run.status,
          closed_at: closeTime?.toISOString() ?? null,
        };
      }),
    );
  }

  private add(event: string, data: object): void {
    const number = ++this.number;
    this.kept.push({ number, event: { event, id: this.idOf(number), data } });
    if (this.kept.length > mostKept) this.kept.shift();
    for (const wake of this.listeners) wake();
  }

  private idOf(number: number): string {
    return `${this.epoch}.${number}`;
  }

  /** null: what came after it isn't known. */
  private numberOf(last: string | undefined): number | null {
    const [epoch, text = ''] = last?.split('.') ?? [];
    const number = Number(text);
    if (epoch !== this.epoch || !Number.isInteger(number) || number > this.number) return null;
    return number >= (this.kept[0]?.number ?? this.number + 1) - 1 ? number : null;
  }
}

/** Those that are new or stand otherwise. */
function changedRuns(
  before: ReadonlyMap<string, ListedRun>,
  after: ReadonlyMap<string, ListedRun>,
): ListedRun[] {
  return [...after.values()].filter((run) => {
    const known = before.get(run.run_id);
    return known === undefined || known.status !== run.status || known.closed_at !== run.closed_at;
  });
}
