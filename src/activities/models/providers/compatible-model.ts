import type { ProviderModel } from './provider-model.js';

export interface CompatibleUse {
  /** Of the provider. */
  name: string;
  model: string;
  /** Up to and with the version: `http://127.0.0.1:11434/v1`. */
  url: string;
  apiKey: string | null;
  fetch: typeof fetch;
}

/** Any server that speaks OpenAI's Chat Completions (vLLM, llama.cpp, Ollama, gateways); many want no key. */
export async function compatibleModel({
  name,
  model,
  url,
  apiKey,
  fetch,
}: CompatibleUse): Promise<ProviderModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name,
    baseURL: url,
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(apiKey === null ? {} : { apiKey }),
  });
  return provider.chatModel(model);
}
