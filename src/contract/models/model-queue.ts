import { isObject, type JsonValue } from '../json/json.js';
import { impliedProvider } from './provider-of-model.js';

/** A task queue of their own for calls of one provider's models: where they are made, and how many at most. */
export interface ModelQueue {
  taskQueue: string;
  /** Calls that begin in a second, over all workers of the queue: the server sees to it. Left out: however many. */
  perSecond?: number;
  /** Calls that one worker is at, at once. Left out: as many as the SDK takes. */
  concurrency?: number;
}

/** Whether it is names of task queues by providers. */
export function isModelQueues(value: JsonValue): boolean {
  return isObject(value) && Object.values(value).every((queue) => typeof queue === 'string' && queue !== '');
}

/** The provider that a model's name has or implies: `openai` of `openai/gpt-5-mini` and of `gpt-5-mini`; null: the name tells none. */
export function providerOf(model: string): string | null {
  return /^([^/:]+)[/:]/.exec(model)?.[1] ?? impliedProvider(model);
}
