import { setTimeout as wait } from 'node:timers/promises';
import type { StorageBackend } from '../../client/storage/storage-backend.js';
import { toProcedureMetadata, type RunSnapshot } from '../../client/storage/to-procedure-metadata.js';
import type { RunStatus } from '../../contract/status.js';
import type { MirrorUpdate } from '../../workflows/mirror.js';

/** Where the mirror looks when it has missed something: the run itself. */
export interface RunReader {
  /** All of a run; null where there is none, or nothing answers. */
  read(runId: string): Promise<RunSnapshot | null>;
  /** The status that the server knows; null where there is no such run. */
  status(runId: string): Promise<RunStatus | null>;
}

export interface MirrorOptions {
  /** Told of a write that failed; the run goes on all the same. */
  onError: (runId: string, error: unknown) => void;
  /** Time in which changes of a run are gathered into one write, in ms. */
  gatherMs?: number;
  /** Times between attempts of a failed write, in ms. */
  retryMs?: readonly number[];
}

interface Mirrored {
  snapshot: RunSnapshot;
  /** Something was told before that we never heard: ask the run. */
  isGap: boolean;
  isDirty: boolean;
  writing: Promise<void> | null;
}

const closed: ReadonlySet<RunStatus> = new Set([
  'completed',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
]);
/** Time that the end of a worker may take up, in ms. */
const longestSettleMs = 5_000;
/** How often the server is asked whether a run that says it has ended really has. */
const confirmations = 25;

/**
 * Keeps a storage backend up to date with the runs of a worker, behind their backs: writes are gathered, failures are
 * tried again and reported, and no run ever waits. What was missed is repaired from the run itself.
 */
export class MirrorWriter {
  private readonly runs = new Map<string, Mirrored>();
  private readonly settling = new AbortController();
  private readonly gatherMs: number;
  private readonly retryMs: readonly number[];

  constructor(
    private readonly storage: StorageBackend,
    private readonly reader: RunReader,
    private readonly options: MirrorOptions,
  ) {
    this.gatherMs = options.gatherMs ?? 200;
    this.retryMs = options.retryMs ?? [500, 2_000, 10_000, 60_000];
  }

  /** A run has changed. Returns at once and never throws. */
  update({ runId, status, state, from, checkpoints, waitingOn }: MirrorUpdate): void {
    const known = this.runs.get(runId);
    const log = known?.snapshot.log ?? [];
    const isGap = (known?.isGap ?? false) || log.length !== from;
    const snapshot = { runId, status, state, log: isGap ? log : [...log, ...checkpoints], waitingOn };
    const mirrored: Mirrored = { snapshot, isGap, isDirty: true, writing: known?.writing ?? null };
    this.runs.set(runId, mirrored);
    mirrored.writing ??= this.write(runId);
  }

  /** Brings what the storage has of open runs up to date with the server: what happened while nobody mirrored. */
  async reconcile(): Promise<void> {
    for (const runId of await this.storage.listCheckpoints()) {
      const { status: written } = await this.storage.loadProcedureMetadata(runId);
      if (!['RUNNING', 'PAUSED'].includes(written) && !written.startsWith('WAITING')) continue;
      const snapshot = await this.whole(runId);
      if (snapshot !== null) await this.attempt(runId, snapshot);
    }
  }

  /** Waits until everything that was told is written, or given up. */
  async flush(): Promise<void> {
    await Promise.all([...this.runs.values()].flatMap(({ writing }) => writing ?? []));
  }

  /** Writes what was told without gathering any more, for a while at most: the worker is about to end. */
  async settle(): Promise<void> {
    this.settling.abort();
    await Promise.race([this.flush(), pause(longestSettleMs)]);
  }

  private async write(runId: string): Promise<void> {
    await pause(this.gatherMs, this.settling.signal);
    for (;;) {
      const mirrored = this.runs.get(runId);
      if (mirrored === undefined) return;
      if (!mirrored.isDirty) {
        mirrored.writing = null;
        if (closed.has(mirrored.snapshot.status)) this.runs.delete(runId);
        return;
      }
      mirrored.isDirty = false;
      const snapshot = await this.complete(mirrored);
      await this.attempt(runId, snapshot);
    }
  }

  /** Fills a gap, and takes the end of a run from the server: it is over when the server says so, not before. */
  private async complete(mirrored: Mirrored): Promise<RunSnapshot> {
    const { snapshot } = mirrored;
    const isEnding = closed.has(snapshot.status);
    const whole = mirrored.isGap ? await this.whole(snapshot.runId) : null;
    if (whole !== null) {
      mirrored.isGap = false;
      mirrored.snapshot = whole;
    }
    if (!isEnding) return whole ?? snapshot;
    return { ...(whole ?? snapshot), status: await this.confirmed(snapshot) };
  }

  private async confirmed({ runId, status }: RunSnapshot): Promise<RunStatus> {
    for (let i = 0; i < confirmations; i++) {
      const known = await this.reader.status(runId).catch(() => null);
      if (known !== null && closed.has(known)) return known;
      await pause(this.gatherMs);
    }
    return status;
  }

  private async whole(runId: string): Promise<RunSnapshot | null> {
    try {
      return await this.reader.read(runId);
    } catch (error) {
      this.options.onError(runId, error);
      return null;
    }
  }

  private async attempt(runId: string, snapshot: RunSnapshot): Promise<void> {
    for (const wait of [...this.retryMs, null]) {
      try {
        await this.storage.saveProcedureMetadata(runId, toProcedureMetadata(snapshot));
        return;
      } catch (error) {
        this.options.onError(runId, error);
        if (wait === null || this.runs.get(runId)?.isDirty === true) return; // a newer state follows anyway
        await pause(wait);
      }
    }
  }
}

/** Holds no process back; ends early when the signal fires. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return wait(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch(
    () => undefined,
  );
}
