import { sleep } from '@temporalio/workflow';
import { localActivities } from './effects/activities.js';
import type { LocalQueue } from './effects/local-queue.js';

/** A workflow task is given up after 10 s; so many slices take 2 s, and on a busy machine some more. */
const slicesOfTask = 8;

/**
 * Pauses between the slices of a long computation: a thread that is kept for 5 s is killed, and other runs want it
 * too. A local activity takes milliseconds, a timer up to a second, but it ends the workflow task.
 */
export class Pauses {
  private count = 0;

  constructor(private readonly queue: LocalQueue) {}

  async next(): Promise<void> {
    if (++this.count % slicesOfTask === 0) await sleep(1, { summary: 'a long computation goes on' });
    else await this.queue.run(() => localActivities().breathe());
  }
}
