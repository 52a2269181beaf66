import { providerName } from '../../../contract/models/provider-of-model.js';
import { anthropic } from './anthropic.js';
import { azure } from './azure.js';
import { bedrock } from './bedrock.js';
import { compatibleProvider } from './compatible.js';
import { google } from './google.js';
import { groq } from './groq.js';
import { local } from './local.js';
import { mistral } from './mistral.js';
import { openai } from './openai.js';
import type { Provider } from './provider.js';
import { xai } from './xai.js';

const ollama = compatibleProvider({
  name: 'ollama',
  url: 'http://127.0.0.1:11434/v1',
  wantsKey: false,
});
const vllm = compatibleProvider({
  name: 'vllm',
  url: 'http://127.0.0.1:8000/v1',
  wantsKey: false,
});
const openrouter = compatibleProvider({
  name: 'openrouter',
  url: 'https://openrouter.ai/api/v1',
  wantsKey: true,
});

export const providers: readonly Provider[] = [
  ...[openai, anthropic, google, bedrock, azure, mistral, groq, xai],
  ...[openrouter, ollama, vllm, local],
];

/** Those of whom one is taken where nobody names a model: the first that has a key. */
export const preferredProviders: readonly Provider[] = [openai, anthropic];
export const localProvider: Provider = local;
export const openAiProvider: Provider = openai;

/** By its name, or one that it goes by elsewhere. */
export function providerCalled(name: string): Provider | null {
  return providers.find((each) => each.name === providerName(name)) ?? null;
}
