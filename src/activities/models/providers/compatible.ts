import { readSecret } from '../../secrets/secrets.js';
import { addressOf, keyIn, plainProvider, type Provider, type ProviderModel } from './provider.js';

/** A provider that speaks OpenAI's protocol. */
export interface Compatible {
  name: string;
  /** Where it is, unless the variable `<NAME>_BASE_URL` says otherwise. */
  url: string;
  /** Whether it wants a key, in `<NAME>_API_KEY`; one that is there is sent in any case. */
  wantsKey: boolean;
}

export function compatibleProvider({ name, url, wantsKey }: Compatible): Provider {
  const prefix = name.toUpperCase();
  const variable = `${prefix}_API_KEY`;
  const key = keyIn(variable);
  return {
    ...plainProvider,
    name,
    pricesName: name,
    key,
    needs: () => (wantsKey ? [key] : []),
    model: ({ model, env, fetch }) =>
      compatibleModel({
        name,
        model,
        url: addressOf(env, `${prefix}_BASE_URL`, url),
        apiKey: readSecret(env, variable),
        fetch,
      }),
  };
}

interface CompatibleUse {
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
