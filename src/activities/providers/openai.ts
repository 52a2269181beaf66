import { createOpenAI } from '@ai-sdk/openai';
import type { ProviderModel, ProviderOptions } from './provider-options.js';

/** Given in full, since the library would else look into the environment of the process. */
const publicUrl = 'https://api.openai.com/v1';

/** OpenAI itself, by Chat Completions: the whole conversation is in each request, and nothing is kept there. */
export function openAiModel({ model, apiKey, fetch }: ProviderOptions): ProviderModel {
  return createOpenAI({ apiKey: apiKey ?? '', baseURL: publicUrl, fetch }).chat(model);
}
