import { TactusError } from '../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json/json.js';
import type { ModelQueue } from '../contract/runs/run-settings.js';

/** The setting, which counts in files that hold for all procedures alone: workers must serve what runs are sent to. */
export const modelQueuesSetting = 'model_queues';

/**
 * What several files say of task queues for models, by provider or type; what comes later wins.
 * @throws TactusError config_invalid
 */
export function modelQueuesOf(
  configs: readonly { file: string; config: JsonObject }[],
): Record<string, ModelQueue> {
  const queues: Record<string, ModelQueue> = {};
  for (const { file, config } of configs) {
    const given = getOwn(config, modelQueuesSetting) ?? {};
    const where = `${file}: ${modelQueuesSetting}`;
    if (!isObject(given))
      throw invalid(`${where} must be a table of task queues by providers or types of models`);
    for (const [provider, queue] of Object.entries(given)) {
      if (!/^[\w-]+$/.test(provider))
        throw invalid(`${where}: ${provider} is no name of a provider or of a type of models`);
      setOwn(queues, provider, readQueue(queue, `${where}.${provider}`));
    }
  }
  return queues;
}

const known = ['task_queue', 'per_second', 'concurrency'];

function readQueue(given: JsonValue, where: string): ModelQueue {
  if (typeof given === 'string') return readQueue({ task_queue: given }, where);
  if (!isObject(given))
    throw invalid(`${where} must be the name of a task queue, or a table with task_queue`);
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw invalid(`${where} has the unknown field ${odd}; there are ${known.join(', ')}`);
  const { task_queue: taskQueue, per_second: perSecond, concurrency } = given;
  if (typeof taskQueue !== 'string' || taskQueue.trim() === '')
    throw invalid(`${where}.task_queue must be the name of a task queue`);
  if (perSecond !== undefined && !(typeof perSecond === 'number' && perSecond > 0))
    throw invalid(`${where}.per_second must be a number above 0`);
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && Number(concurrency) > 0))
    throw invalid(`${where}.concurrency must be a positive integer`);
  return {
    taskQueue: taskQueue.trim(),
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
  };
}

function invalid(problem: string): TactusError {
  return new TactusError('config_invalid', problem);
}
