import { condition, patched, workflowInfo } from '@temporalio/workflow';
import type { Arrival } from './arrivals.js';
import { localActivities, remoteBreather } from '../effects/activities.js';
import { isLocal } from './effects/perform-locally.js';

/** A workflow task is given up after 10 s; so many slices take 2 s, and on a busy machine some more. */
const slicesOfTask = 8;

/** Runs of 0.1.0 went on at once. */
const pauseAfterFailure = 'pause-after-failed-local-activity';

/**
 * Pauses of a run that is busy with itself: a thread that is kept for 5 s is killed, a workflow task that lasts longer
 * than its timeout is taken for lost, and queries are answered only between two of them.
 */
export class Pauses {
  private slices = 0;
  /** When the last event came that the run was given, in ms since 1970. */
  private since = Date.now();
  /** When the first of a row of local activities began, in ms since 1970 by the worker's clock. */
  private rowSince: number | null = null;

  /** Between two slices of a computation. */
  async afterSlice(): Promise<void> {
    if (++this.slices % slicesOfTask === 0) await this.endTask('a long computation goes on');
    else await localActivities.breathe();
  }

  /** Whether the workflow task has lasted for a quarter of its timeout, as far as anybody knows. */
  isDueAfter({ request, outcome, at, since }: Arrival): boolean {
    if (!isLocal(request.effect)) {
      this.since = Math.max(this.since, at);
      this.rowSince = null;
      return false;
    }
    // It doesn't tell how long it was tried.
    if (!outcome.ok) return patched(pauseAfterFailure);
    if (since === null) return true;
    if (since !== undefined) this.rowSince ??= since;
    // By the clock of the worker alone, where it tells: it may differ from the server's.
    return at - (this.rowSince ?? this.since) > workflowInfo().taskTimeoutMs / 4;
  }

  /** By an activity, which is there and back in some 20 ms; the server's timers take a second. */
  async endTask(summary: string): Promise<void> {
    // What came together with the last answer has had its say before: a replay may see it before that answer.
    for (let i = 0; i < 2; i++) await drained();
    await remoteBreather(summary).breathe();
    this.since = Date.now();
    this.rowSince = null;
  }
}

/** Waits until everything that the events at hand lead to has been done. */
function drained(): Promise<void> {
  let isLater = false;
  void Promise.resolve().then(() => (isLater = true));
  return condition(() => isLater);
}
