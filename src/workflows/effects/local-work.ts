import { workflowInfo } from '@temporalio/workflow';
import { localActivities, remoteBreather } from './activities.js';
import { drained, type Sequence } from '../sequence.js';

/** What a workflow task has where nobody says anything else. */
const usualTaskMs = 10_000;

/** A workflow task is given up after 10 s; so many slices take 2 s, and on a busy machine some more. */
const slicesOfTask = 8;

/**
 * What the worker does for a run at once: local activities, one at a time, and only while nothing else of the run is
 * under way (`OpenEffects.isAlone`). The SDK tells of a local activity's end when it likes: where a query is answered
 * meanwhile, or the workflow task takes too long, the first execution hears of it in a later workflow task than the one
 * that records it, together with events of that task; a replay hears of it before them, or of several workflow tasks at
 * once. So nothing may arrive meanwhile that an order could matter for. A signal may: its turn comes afterwards.
 */
export class LocalWork {
  /** The worker is at a local activity. */
  isUnderWay = false;
  /** Events that were there at the last barrier: they have their turn before other local activities. */
  private due = 0;
  private slices = 0;
  /** When the first of a row of local activities began, in ms since 1970 by the worker's clock. */
  private rowSince: number | null = null;
  /**
   * An effect was performed since the server last heard of this run for certain. If the worker dies now, that effect is
   * performed again: what it reads must not have been changed meanwhile by an effect behind it.
   */
  private isUnrecorded = false;

  constructor(
    private readonly sequence: Sequence,
    /** Whether a barrier stands before changes. */
    private readonly recordsFirst: boolean,
    /** A run that does much has more time for its tasks, but keeps nobody waiting for longer. */
    private readonly isBounded: boolean,
  ) {}

  /** Local activities wait until so many events have had their turn: a long row of them must not keep all else out. */
  get isBehind(): boolean {
    return this.due > 0;
  }

  eventTaken(): void {
    if (this.due > 0) this.due--;
    this.rowSince = null;
  }

  /** A barrier must come before an effect that changes something outside. */
  get needsBarrier(): boolean {
    return this.recordsFirst && this.isUnrecorded;
  }

  performed(): void {
    this.isUnrecorded = true;
  }

  /**
   * The server answered what the run began after its last local activity, and so has the marker of that one.
   * A signal is no such answer: a replay may hear of it earlier.
   */
  recorded(): void {
    this.isUnrecorded = false;
  }

  async perform<T>(work: () => Promise<T>): Promise<T> {
    this.isUnderWay = true;
    try {
      return await work();
    } finally {
      this.isUnderWay = false;
    }
  }

  /** Between two slices of a computation, alone or not. Gives whether it was a barrier. */
  async afterSlice(isAlone: boolean): Promise<boolean> {
    const isLong = ++this.slices % slicesOfTask === 0 || !isAlone;
    if (isLong) await this.barrier('a long computation goes on');
    else await this.perform(() => localActivities.breathe());
    return isLong;
  }

  /**
   * Whether a row of local activities has lasted for a quarter of the workflow task's timeout, by the worker's clock.
   * `since`: when the last of them was asked for; null: nobody knows, for it was tried more than once.
   */
  isLong(since: number | null, at: number): boolean {
    if (since === null) return true;
    this.rowSince ??= since;
    const { taskTimeoutMs } = workflowInfo();
    return at - this.rowSince > (this.isBounded ? Math.min(taskTimeoutMs, usualTaskMs) : taskTimeoutMs) / 4;
  }

  /**
   * Ends the workflow task: by a remote activity that is awaited alone, there and back in some 20 ms; the server's
   * timers take a second.
   */
  async barrier(summary: string): Promise<void> {
    // The commands of all that was done before go out first.
    await drained();
    await remoteBreather(summary).breathe();
    // What came with it is there as well.
    await drained();
    this.rowSince = null;
    this.isUnrecorded = false;
    this.due = this.sequence.length;
  }
}
