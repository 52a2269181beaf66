import { keyedProvider } from './provider.js';

/** xAI's Grok, which has the Responses API alone. */
export const xai = keyedProvider({
  name: 'xai',
  package: '@ai-sdk/xai',
  hasResponses: true,
  isStreamed: true,
  pricesName: 'x-ai',
  keys: ['XAI_API_KEY'],
  url: 'https://api.x.ai/v1',
  load: async () => (await import('@ai-sdk/xai')).createXai,
});
