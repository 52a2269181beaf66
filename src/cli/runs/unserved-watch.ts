import type { Unserved } from '../../client/health/unserved.js';
import { pythonQueueOf } from '../../contract/predictions/served-model.js';
import type { Screen } from '../terminal/screen.js';
import { ownCommand } from '../terminal/own-command.js';

/** Tells, while a run is followed, that it waits for a task queue that nobody serves: once for each call. */
export class UnservedWatch {
  private readonly told = new Set<string>();

  constructor(private readonly screen: Screen) {}

  look(calls: readonly Unserved[]): void {
    for (const call of calls) {
      if (!this.told.has(call.id)) this.screen.warn(unservedText(call));
      this.told.add(call.id);
    }
  }
}

/** One line. */
export function unservedText({ task_queue, since }: Unserved): string {
  const start = task_queue.endsWith(pythonQueueOf(''))
    ? `start one by ${ownCommand('worker --python')}`
    : 'start one with its own model_queues, or by createModelWorker';
  return `No worker serves the task queue ${task_queue}, for which a call waits since ${since}: ${start}`;
}
