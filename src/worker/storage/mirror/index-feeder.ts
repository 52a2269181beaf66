import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isOver, type LastAnswers, type ToldRun } from '../../../contract/runs/run-view.js';
import { feederBeatMs } from '../../../client/index.js';
import type { Feeder, IndexChange, KeptAnswers, RunIndex } from '../../../read-model/run-index.js';
import type { FeedMeter } from './feed-meter.js';
import { pause } from './mirror-writer.js';

type EndedRun = Extract<IndexChange, { kind: 'closed' }>['run'];

/** What an execution that ends answers from then on. */
interface Last {
  execution: string;
  answers: LastAnswers;
}

/** What is to be written of a run; `last` null: nothing of its end. */
interface Told {
  run: ToldRun;
  last: Last | null;
}

export interface IndexFeederOptions {
  /** A run as the server has it, with what it ended with; null where it has none. */
  look: (runId: string) => Promise<EndedRun | null>;
  /** Makes sure that the index is for runs of this server. */
  claim: () => Promise<void>;
  /** Packs what a run answers last; null where it is too large to be kept. */
  pack: (execution: string, answers: LastAnswers) => Promise<KeptAnswers | null>;
  /** Told of a write that failed; it is tried until it succeeds. */
  onError: (runId: string, error: unknown) => void;
  meter?: FeedMeter;
  /** Time in which what runs tell is gathered into one write, in ms. */
  gatherMs?: number;
  /** Times before a failed write is tried again, in ms; the last stays. */
  retryMs?: readonly number[];
}

/** Time that the beginning and the end of a worker may take up for this, in ms. */
const longestSettleMs = 5_000;
/** So many runs are in one write at most: others wait for it. */
const mostAtOnce = 200;
/** How often, and how far apart in ms, the server is asked whether a run that says it has ended really has. */
const confirmations = 25;
const confirmMs = 200;

/**
 * Writes what the runs of a worker tell of themselves into an index, behind their backs. What is lost with the worker is
 * noticed, because its entry stays in the index.
 *
 * Owns: the newest that each run told and that is not written, what it answers from its end on, and this worker's entry in the index.
 * Asks: the index to write, and the server whether a run has ended.
 * Invariants:
 *  1. No run waits. The newest of each run is kept until it is written, however long the index is away.
 *  2. What a run tells while it is being written is written again.
 *  3. The worker's entry is in the index before the first write. It leaves only if everything is written.
 *  4. A run is written as closed only after the server has said so.
 */
export class IndexFeeder {
  private readonly self: Feeder = {
    id: randomUUID(),
    host: hostname(),
    pid: process.pid,
    seenAt: Date.now(),
  };
  private readonly dirty = new Map<string, Told>();
  private readonly confirming = new Set<Promise<void>>();
  private readonly ended: EndedRun[] = [];
  private readonly settling = new AbortController();
  private readonly retryMs: readonly number[];
  private writing: Promise<void> | null = null;
  private entering: Promise<void> | null = null;
  private beat: NodeJS.Timeout | null = null;
  private waitingSince: number | null = null;

  constructor(
    private readonly index: RunIndex,
    private readonly options: IndexFeederOptions,
  ) {
    this.retryMs = options.retryMs ?? [500, 2_000, 10_000, 60_000];
  }

  /** Says that somebody writes here from now on, before any run tells anything that could be lost. Never throws; ends within 5 s. */
  async begin(): Promise<void> {
    this.options.meter?.begin(() => ({
      unwritten: this.dirty.size + this.ended.length,
      toldAt: this.waitingSince,
    }));
    await Promise.race([this.attempt('', () => this.enter()), pause(longestSettleMs)]);
  }

  /** A run has changed. Returns at once and never throws. */
  tell(run: ToldRun, last: Last | null = null): void {
    const { run_id: runId, pending } = run;
    const before = this.dirty.get(runId);
    this.dirty.set(runId, {
      run: before === undefined ? run : { ...run, pending: pending ?? before.run.pending },
      last: last ?? before?.last ?? null,
    });
    if (isOver(run.status)) this.confirm(runId);
    this.waitingSince ??= Date.now();
    this.writing ??= this.writeAll();
  }

  /** Since when something waits to be written, in ms since 1970; null: nothing does. */
  get toldAt(): number | null {
    return this.waitingSince;
  }

  /** Waits until everything that was told is written; `withinMs` at most. */
  async flush(withinMs: number): Promise<void> {
    const all = async (): Promise<void> => {
      while (this.confirming.size > 0 || this.writing !== null)
        await Promise.all([...this.confirming, this.writing]);
    };
    await Promise.race([all(), pause(withinMs)]);
  }

  /** Writes what there is without gathering any more, for a while at most: the worker has ended. */
  async settle(): Promise<void> {
    this.settling.abort();
    await this.flush(longestSettleMs);
    this.options.meter?.end();
    if (this.beat !== null) clearInterval(this.beat);
    const isWhole = this.dirty.size === 0 && this.ended.length === 0 && this.writing === null;
    if (this.beat !== null && isWhole) await this.attempt('', () => this.index.leave([this.self.id]));
  }

  private async writeAll(): Promise<void> {
    await pause(this.options.gatherMs ?? 200, this.settling.signal);
    for (let failures = 0; this.dirty.size > 0 || this.ended.length > 0;) {
      const told = [...this.dirty.values()].slice(0, mostAtOnce);
      const ended = this.ended.slice(0, mostAtOnce);
      const first = told[0]?.run.run_id ?? ended[0]?.run_id ?? '';
      if (await this.attempt(first, () => this.write(told, ended))) {
        failures = 0;
        this.options.meter?.wrote(0, this.waitingSince);
        for (const each of told) this.keepNewer(each);
        this.ended.splice(0, ended.length);
        this.waitingSince = Date.now();
        continue;
      }
      this.options.meter?.failed();
      await pause(this.retryMs[Math.min(failures++, this.retryMs.length - 1)] ?? 0);
    }
    this.writing = null;
    this.waitingSince = null;
  }

  private async write(told: readonly Told[], ended: readonly EndedRun[]): Promise<void> {
    await this.enter();
    const changes: IndexChange[] = told.map(({ run }) => ({ kind: 'told', run }));
    const answers = told.flatMap(({ last }) => (last === null ? [] : [this.packed(last)]));
    for (const run of await Promise.all(answers)) if (run !== null) changes.push({ kind: 'answered', run });
    await this.index.write(changes);
    await this.index.write(ended.map((run) => ({ kind: 'closed', run })));
  }

  /** A codec that fails must not keep what runs tell from the index: the run is asked then, as one whose answers aren't kept. */
  private async packed({ execution, answers }: Last): Promise<KeptAnswers | null> {
    try {
      return await this.options.pack(execution, answers);
    } catch (error) {
      this.options.onError(answers.status.run_id, error);
      return null;
    }
  }

  /** What a run told while it was written is still to be written; what it asked by then isn't told again. */
  private keepNewer(written: Told): void {
    const { run_id: runId } = written.run;
    if (this.dirty.get(runId) === written) this.dirty.delete(runId);
  }

  private async attempt(runId: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.options.onError(runId, error);
      return false;
    }
  }

  private enter(): Promise<void> {
    this.entering ??= this.enterFirst().catch((error: unknown) => {
      this.entering = null;
      throw error;
    });
    return this.entering;
  }

  private async enterFirst(): Promise<void> {
    await this.options.claim();
    await this.index.enter({ ...this.self, seenAt: Date.now() });
    this.beat = setInterval(() => {
      void this.attempt('', () => this.index.enter({ ...this.self, seenAt: Date.now() }));
    }, feederBeatMs).unref();
  }

  /** A task that says "ended" can still be refused: a run is over when the server says so. */
  private confirm(runId: string): void {
    const confirmed = async (): Promise<void> => {
      for (let i = 0; i < confirmations; i++) {
        const run = await this.options.look(runId).catch(() => null);
        if (run !== null && run.closed_at !== null) {
          this.ended.push(run);
          this.writing ??= this.writeAll();
          return;
        }
        await pause(confirmMs);
      }
    };
    const confirming: Promise<void> = confirmed().finally(() => this.confirming.delete(confirming));
    this.confirming.add(confirming);
  }
}
