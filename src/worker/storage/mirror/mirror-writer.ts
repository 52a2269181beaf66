import { setTimeout as wait } from 'node:timers/promises';
import { KeyedQueue, type RunSnapshot, type StorageBackend } from '../../../client/storage/index.js';
import { isOver } from '../../../contract/runs/run-view.js';
import type { MirrorUpdate } from '../../../workflows/storage/mirror.js';
import { MirrorCatchUp, mirrorLookMs, type RunReader } from './mirror-catch-up.js';
import type { FeedMeter } from './feed-meter.js';
import { MirroredRun, saveGrowth, type Unwritten } from './mirrored-run.js';

export interface MirrorOptions {
  /** Told of a write that failed; the run goes on all the same. */
  onError: (runId: string, error: unknown) => void;
  /** Time in which changes of a run are gathered into one write, in ms. */
  gatherMs?: number;
  /** Times between attempts of a failed write, in ms. */
  retryMs?: readonly number[];
  /** How long a run must be silent before its record is made readable for others, in ms; longer where that takes long. */
  restMs?: number;
  /** Runs of which is known how far they are written. */
  mostRuns?: number;
  /** How often it is looked for what nobody has told, in ms. */
  lookMs?: number;
  /** Told how it goes; left out: nobody. */
  meter?: FeedMeter;
}

/** Time that the end of a worker may take up, in ms. */
const longestSettleMs = 5_000;
/** How often the server is asked whether a run that says it has ended really has. */
const confirmations = 25;

/** Runs that are known how far they are written. Of one that is forgotten, the whole is read and written once more. */
const mostRuns = 10_000;
/** Runs that are asked at once: after another worker was killed all of its runs may have to be, while this one works for them. */
const mostAsked = 8;
/** A run that is silent for so many times the time that folding takes has its record folded. */
const restFactor = 20;

/**
 * Keeps a storage backend up to date with the runs of a worker, behind their backs: writes are gathered, failures are
 * tried again and reported, and no run ever waits. Only what is new of a run is written, and forgotten then; what was
 * missed is repaired from the run itself, however long the storage was away.
 *
 * Owns: a `MirroredRun` for each run that told something lately, and the timers of records that are to be folded.
 * Asks: the storage to write, the run or the server for what was missed, `MirrorCatchUp` to remember what could not be written.
 * Invariants:
 *  1. Each run that it knows is written by one loop at a time.
 *  2. `update` neither waits nor throws.
 *  3. A record says that a run is over only after the server has said so.
 *  4. Runs beyond `mostRuns` are forgotten, unless they are being written. At most `mostAsked` runs are asked at once.
 */
export class MirrorWriter {
  private readonly runs = new Map<string, MirroredRun>();
  private readonly resting = new Map<string, NodeJS.Timeout>();
  private readonly settling = new AbortController();
  private readonly gatherMs: number;
  private readonly retryMs: readonly number[];
  private readonly catchUp: MirrorCatchUp;
  private readonly asking = new KeyedQueue();
  private asked = 0;
  private restMs: number;

  constructor(
    private readonly storage: StorageBackend,
    private readonly reader: RunReader,
    private readonly options: MirrorOptions,
  ) {
    this.gatherMs = options.gatherMs ?? 200;
    this.retryMs = options.retryMs ?? [500, 2_000, 10_000, 60_000];
    this.restMs = options.restMs ?? 2_000;
    this.catchUp = new MirrorCatchUp(storage, reader, options.onError, options.lookMs ?? mirrorLookMs);
  }

  /** From now on, looks now and then for what no run tells: how runs were terminated, and what couldn't be written. */
  watch(): void {
    this.catchUp.begin();
    this.options.meter?.begin(() => this.standing());
  }

  /** The end of `watch`. */
  unwatch(): void {
    this.catchUp.end();
    this.options.meter?.end();
  }

  /** A run has changed. Returns at once and never throws. */
  update(change: MirrorUpdate): void {
    const { runId } = change;
    const run = this.runs.get(runId) ?? new MirroredRun(change);
    this.runs.delete(runId);
    this.runs.set(runId, run);
    run.add(change);
    this.awaken(runId);
    run.writing ??= this.write(runId, run);
    if (this.runs.size > (this.options.mostRuns ?? mostRuns)) this.forgetOne();
  }

  /** Brings what the storage has of open runs up to date with the server: what happened while nobody mirrored. */
  reconcile(): Promise<void> {
    return this.catchUp.reconcile();
  }

  /** Waits until everything that was told is written, or given up. */
  async flush(): Promise<void> {
    await Promise.all([...this.runs.values()].flatMap(({ writing }) => writing ?? []));
  }

  /** Writes what was told without gathering any more, for a while at most: the worker is about to end. */
  async settle(): Promise<void> {
    this.settling.abort();
    const writeAll = async (): Promise<void> => {
      await this.flush();
      for (const [runId, run] of this.runs) await this.fold(runId, run);
    };
    await Promise.race([writeAll(), pause(longestSettleMs)]);
  }

  private async write(runId: string, run: MirroredRun): Promise<void> {
    await pause(this.gatherMs, this.settling.signal);
    for (;;) {
      if (!run.isDirty && isOver(run.status)) await this.fold(runId, run);
      if (!run.isDirty) {
        run.writing = null;
        if (isOver(run.status)) this.forget(runId);
        else this.rest(runId, run);
        return;
      }
      await this.repair(runId, run);
      const { toldAt } = run;
      const unwritten = run.take();
      const isThere = await this.confirm(unwritten);
      const saved = isThere ? await this.attempt(runId, run, unwritten) : 'given up';
      if (saved === 'saved') {
        run.keep(unwritten);
        if (unwritten.snapshot.mark?.partial === true) this.catchUp.miss(runId);
        this.options.meter?.wrote(unwritten.snapshot.log.length, toldAt);
      } else if (saved === 'superseded') run.giveBack(unwritten);
      else run.lose();
      run.isDirty ||= saved === 'misfit';
      if (saved === 'given up' && !run.isDirty) return this.giveUp(runId);
    }
  }

  /** Resolves where the storage answers. */
  async reach(): Promise<void> {
    await this.storage.loadProcedureMetadata('tactus-readiness');
  }

  /** The run is asked for all that was told, once the storage answers. */
  private giveUp(runId: string): void {
    this.catchUp.miss(runId);
    this.forget(runId);
  }

  /** Asks the run for what was missed, until its answer has all that it told in the meantime. */
  private async repair(runId: string, run: MirroredRun): Promise<void> {
    while (run.isGap) {
      const { version } = run;
      const whole = await this.whole(runId);
      if (whole === null) return;
      run.fill(whole, run.version === version);
    }
  }

  /**
   * Makes what a run told of its end what the server says of it: it is over when the server says so, not before. False where the server
   * doesn't say so: its task was refused, or the server is away.
   */
  private async confirm({ snapshot }: Unwritten): Promise<boolean> {
    if (!isOver(snapshot.status)) return true;
    for (let i = 0; i < confirmations; i++) {
      const known = await this.reader.status(snapshot.runId).catch(() => null);
      if (known !== null && isOver(known)) {
        snapshot.status = known;
        if (snapshot.mark !== null) snapshot.mark = { ...snapshot.mark, over: true };
        return true;
      }
      await pause(this.gatherMs);
    }
    return false;
  }

  private async whole(runId: string): Promise<RunSnapshot | null> {
    try {
      const lane = String(this.asked++ % mostAsked);
      const read = await this.asking.run(lane, () => this.reader.read(runId));
      return read?.unread === null ? read.snapshot : null;
    } catch (error) {
      this.options.onError(runId, error);
      return null;
    }
  }

  /** `misfit`: the record isn't what was written before. `superseded`: more is to be written, together with this. */
  private async attempt(
    runId: string,
    run: MirroredRun,
    unwritten: Unwritten,
  ): Promise<'saved' | 'misfit' | 'superseded' | 'given up'> {
    const { snapshot } = unwritten;
    for (const wait of [...this.retryMs, null]) {
      try {
        if (snapshot.mark !== null)
          snapshot.mark = { ...snapshot.mark, namespace: await this.reader.namespace() };
        return (await saveGrowth(this.storage, unwritten)) ? 'saved' : 'misfit';
      } catch (error) {
        this.options.onError(runId, error);
        this.options.meter?.failed();
        if (run.isDirty) return 'superseded';
        if (wait !== null) await pause(wait);
      }
    }
    return 'given up';
  }

  /** So many runs have told what isn't written yet, the oldest of them then. */
  standing(): { unwritten: number; toldAt: number | null } {
    let unwritten = this.catchUp.missedRuns;
    let oldest: number | null = null;
    for (const { toldAt } of this.runs.values()) {
      if (toldAt === null) continue;
      unwritten++;
      oldest = Math.min(oldest ?? toldAt, toldAt);
    }
    return { unwritten, toldAt: oldest };
  }

  /** The record is folded when the run has been silent for a while: others read only that. */
  private rest(runId: string, run: MirroredRun): void {
    if (!run.isUnfolded) return;
    const timer = setTimeout(() => {
      this.resting.delete(runId);
      if (run.writing === null) void this.fold(runId, run);
    }, this.restMs);
    this.resting.set(runId, timer.unref());
  }

  private awaken(runId: string): void {
    clearTimeout(this.resting.get(runId));
    this.resting.delete(runId);
  }

  private async fold(runId: string, run: MirroredRun): Promise<void> {
    if (!run.isUnfolded) return;
    run.isUnfolded = false;
    const start = performance.now();
    try {
      await this.storage.fold?.(runId);
    } catch (error) {
      this.options.onError(runId, error);
    }
    this.restMs = Math.max(this.restMs, restFactor * (performance.now() - start));
  }

  private forget(runId: string): void {
    this.awaken(runId);
    this.runs.delete(runId);
  }

  /** The run that was silent for longest: another worker may have it. */
  private forgetOne(): void {
    for (const [runId, run] of this.runs) {
      if (run.writing !== null) continue;
      this.forget(runId);
      void this.fold(runId, run);
      return;
    }
  }
}

/** Holds no process back; ends early when the signal fires. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return wait(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch(
    () => undefined,
  );
}
