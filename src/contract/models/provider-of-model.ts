import { getOwn, isObject, type JsonValue } from '../json/json.js';

/** Other names that providers go by elsewhere. */
const aliases: Readonly<Record<string, string>> = {
  gemini: 'google',
  'amazon-bedrock': 'bedrock',
  ollama_chat: 'ollama',
  hosted_vllm: 'vllm',
};

const impliedProviders: readonly [RegExp, string][] = [
  [/^(ft:)?(gpt-|chatgpt-|o[134]\b)/, 'openai'],
  [/^claude-/, 'anthropic'],
];

/** The name of a provider, by any of its names. */
export function providerName(name: string): string {
  return getOwn(aliases, name) ?? name;
}

/** The provider that a well-known model's name stands for; null: none. */
export function impliedProvider(model: string): string | null {
  return impliedProviders.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}

/** Whose model it is by its name, `openai/gpt-5-mini` or `gpt-5-mini`; null: only a worker knows. */
export function providerOfModel(model: string | null): string | null {
  if (model === null) return null;
  const [, prefix] = /^([^/]+)\//.exec(model) ?? [];
  return prefix === undefined ? impliedProvider(model) : providerName(prefix);
}

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
