import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ProviderModel, ProviderOptions } from './provider-options.js';

/** Any server that speaks OpenAI's Chat Completions (vLLM, llama.cpp, Ollama, gateways); many want no key. */
export function openAiCompatibleModel({ model, apiKey, baseUrl, fetch }: ProviderOptions): ProviderModel {
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: baseUrl ?? '',
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(apiKey === null ? {} : { apiKey }),
  });
  return provider.chatModel(model);
}
