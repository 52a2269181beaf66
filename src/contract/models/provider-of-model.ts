import { getOwn } from '../json/json.js';

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
