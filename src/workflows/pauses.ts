import { condition, workflowInfo } from '@temporalio/workflow';
import { localActivities, remoteBreather } from './effects/activities.js';

/** A workflow task is given up after 10 s; so many slices take 2 s, and on a busy machine some more. */
const slicesOfTask = 8;

/**
 * Pauses of a run that is busy with itself: a thread that is kept for 5 s is killed, a workflow task that lasts longer
 * than its timeout is taken for lost, and queries are answered only between two of them.
 */
export class Pauses {
  private slices = 0;
  /** When the last event came that the run was given, in ms since 1970. */
  private since = Date.now();

  /** Between two slices of a computation. */
  async afterSlice(): Promise<void> {
    if (++this.slices % slicesOfTask === 0) await this.endTask('a long computation goes on');
    else await localActivities.breathe();
  }

  /** Whether the workflow task has lasted for a quarter of its timeout when an answer came at `at`. */
  isDueAfter(at: number, isLocal: boolean): boolean {
    if (!isLocal) this.since = Math.max(this.since, at);
    return at - this.since > workflowInfo().taskTimeoutMs / 4;
  }

  /** By an activity, which is there and back in some 20 ms; the server's timers take a second. */
  async endTask(summary: string): Promise<void> {
    // What came together with the last answer has had its say before: a replay may see it before that answer.
    for (let i = 0; i < 2; i++) await drained();
    await remoteBreather(summary).breathe();
    this.since = Date.now();
  }
}

/** Waits until everything that the events at hand lead to has been done. */
function drained(): Promise<void> {
  let isLater = false;
  void Promise.resolve().then(() => (isLater = true));
  return condition(() => isLater);
}
