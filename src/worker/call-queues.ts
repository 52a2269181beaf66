import type { CallQueues } from '../configuration/call-queues.js';
import { TactusError } from '../contract/errors.js';
import { defined } from '../contract/json/json.js';
import { isPythonModelType, pythonQueueOf } from '../contract/predictions/served-model.js';
import type { CallQueue } from '../contract/runs/run-settings.js';

/** A task queue that a worker serves beside that of its runs. */
export interface ServedQueue extends CallQueue {
  /** Providers and types of models whose calls go there. */
  models: string[];
}

/**
 * The task queues that a configuration names, each once: if several names share a queue, the lowest rate and number count. Workers in
 * Python serve those of their models.
 * @param own the task queue of runs
 * @throws TactusError config_invalid where calls would go to the task queue of runs, whose worker a second one would get in the way of
 */
export function servedQueues({ models, tools }: CallQueues, own: string): ServedQueue[] {
  const served = new Map<string, ServedQueue>();
  const take = (setting: string, queue: CallQueue, ofModels: string[]): void => {
    const { taskQueue, perSecond, concurrency } = queue;
    const taken =
      (taskQueue === own && 'the task queue of the runs') ||
      (taskQueue === pythonQueueOf(own) && 'the task queue of workers in Python');
    if (taken !== false)
      throw new TactusError(
        'config_invalid',
        `${setting} names ${taskQueue}, ${taken}. Give these calls a task queue of their own, or remove the setting`,
      );
    const known = served.get(taskQueue);
    served.set(taskQueue, {
      taskQueue,
      ...defined({
        perSecond: lower(known?.perSecond, perSecond),
        concurrency: lower(known?.concurrency, concurrency),
      }),
      models: [...(known?.models ?? []), ...ofModels],
    });
  };
  for (const [name, queue] of Object.entries(models))
    if (!isPythonModelType(name)) take(`model_queues.${name}`, queue, [name]);
  for (const [name, queue] of Object.entries(tools)) take(`tool_queues.${name}`, queue, []);
  return [...served.values()];
}

function lower(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
