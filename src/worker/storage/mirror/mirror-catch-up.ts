import type { Client } from '@temporalio/client';
import {
  eachLimit,
  isUpToDate,
  latestOf,
  listedSince,
  namespaceIdOf,
  readSnapshot,
  serverPages,
  serverRun,
  type ReadRun,
} from '../../../client/index.js';
import {
  loadOrDamaged,
  type MirrorMark,
  openTactusStatuses,
  readMark,
  repairRecord,
  type StorageBackend,
} from '../../../client/storage/index.js';
import type { RunStatus } from '../../../contract/runs/run-view.js';

/** How often it is looked for what nobody has told, in ms. */
export const mirrorLookMs = 60_000;
/** How far apart the clocks of this machine and of the server may be, in ms. */
const skewMs = 600_000;
const atOnce = 4;
const pageSize = 1_000;

/**
 * Brings records up to date that no run tells the mirror of: what happened while nobody mirrored, what couldn't be written, and how runs
 * ended that were terminated or ran out of time.
 */
export class MirrorCatchUp {
  private readonly missed = new Set<string>();
  private since = Date.now() - skewMs;
  private looking: NodeJS.Timeout | null = null;
  private isAtIt = false;

  constructor(
    private readonly storage: StorageBackend,
    private readonly reader: RunReader,
    private readonly onError: (runId: string, error: unknown) => void,
    private readonly lookMs: number,
  ) {}

  /** Runs of which something is missing, as far as is known here. */
  get missedRuns(): number {
    return this.missed.size;
  }

  /** Looks now and then, until `end`. */
  begin(): void {
    this.looking ??= setInterval(() => void this.look(), this.lookMs).unref();
  }

  end(): void {
    if (this.looking !== null) clearInterval(this.looking);
    this.looking = null;
  }

  /** Something of a run couldn't be written: the run is asked once the storage answers. */
  miss(runId: string): void {
    this.missed.add(runId);
  }

  /** What was missed until now, and what has ended since. Never throws; two looks are never at it together. */
  async look(): Promise<void> {
    if (this.isAtIt) return;
    this.isAtIt = true;
    try {
      // As long as it is away, no run is asked.
      await this.storage.listCheckpoints({ limit: 1 });
      await this.repairAll([...this.missed]);
      await this.takeEnds();
    } catch (error) {
      this.onError('', error);
    } finally {
      this.isAtIt = false;
    }
  }

  /** All records of runs that go on, as far as the storage knows. Those that the server says are up to date aren't asked. */
  async reconcile(): Promise<void> {
    for (const status of openTactusStatuses)
      for await (const ids of this.pagesOf(status)) await this.repairAll(ids, (id) => this.isUpToDate(id));
  }

  private async *pagesOf(status: string): AsyncGenerator<string[]> {
    for (let after = ''; ;) {
      const filter = { status, limit: pageSize, ...(after === '' ? {} : { after }) };
      const ids = await this.storage.listCheckpoints(filter);
      yield ids;
      after = ids.at(-1) ?? '';
      if (ids.length < pageSize) return;
    }
  }

  private async isUpToDate(runId: string): Promise<boolean> {
    const mark = await this.markOf(runId);
    return mark !== null && !mark.over && this.reader.isUpToDate(runId, mark);
  }

  /** How far a run had come that a record is a whole copy of; null of all others. */
  private async markOf(runId: string): Promise<MirrorMark | null> {
    const record = await loadOrDamaged(this.storage, runId);
    const mark = record === null || record === 'damaged' ? null : readMark(record.mirrored);
    return mark?.partial === true ? null : mark;
  }

  private async takeEnds(): Promise<void> {
    for await (const { runs, latest } of this.reader.endedUnheard(this.since)) {
      const executions = new Map(runs.map(({ runId, execution }) => [runId, execution]));
      await this.repairAll([...executions.keys()], async (runId) => {
        const mark = await this.markOf(runId);
        return mark !== null && mark.over && mark.execution === executions.get(runId);
      });
      this.since = Math.max(this.since, latest);
    }
  }

  /** Those that can't be repaired are told of, and tried again at the next look. */
  private async repairAll(
    runIds: readonly string[],
    isRight: (runId: string) => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<void> {
    await eachLimit(runIds, atOnce, async (runId) => {
      try {
        if (!(await isRight(runId)))
          await repairRecord(this.storage, runId, { read: () => this.reader.read(runId) });
        this.missed.delete(runId);
      } catch (error) {
        this.missed.add(runId);
        this.onError(runId, error);
      }
    });
  }
}

/** Where the mirror looks when it has missed something: the run itself, and the server. */
export interface RunReader {
  /** Id of the namespace whose runs these are. */
  namespace(): Promise<string>;
  /** All of a run; null where there is none. */
  read(runId: string): Promise<ReadRun | null>;
  /** The status that the server knows; null where there is no such run. */
  status(runId: string): Promise<RunStatus | null>;
  /** Whether a run goes on, and has come no further than a record of it, without asking the run. */
  isUpToDate(runId: string, mark: MirrorMark): Promise<boolean>;
  /** Executions that have ended without a word to any worker since a time of the server's, in ms since 1970, and some before; the latest end among them. */
  endedUnheard(
    since: number,
  ): AsyncIterable<{ runs: readonly { runId: string; execution: string }[]; latest: number }>;
}

/** Ends of which no worker hears. */
const unheard = `(ExecutionStatus = 'Terminated' OR ExecutionStatus = 'TimedOut')`;

/** Reads runs over a Temporal client: their status from the server, everything else by query. */
export function clientReader(client: Client): RunReader {
  return {
    namespace: () => namespaceIdOf(client),
    status: async (runId) => (await serverRun(client, runId))?.status ?? null,
    read: (runId) => readSnapshot(client, runId),
    isUpToDate: async (runId, mark) => {
      const row = await serverRun(client, runId);
      if (row === null || row.closed_at !== null) return false;
      return isUpToDate(client, row, mark);
    },
    async *endedUnheard(since) {
      const terms = [unheard, `CloseTime >= ${listedSince(since)}`];
      for await (const page of serverPages(client, terms))
        yield {
          runs: page.map(({ run_id, execution }) => ({ runId: run_id, execution })),
          latest: latestOf(page),
        };
    },
  };
}
