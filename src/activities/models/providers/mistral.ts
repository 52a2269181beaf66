import { keyedProvider } from './provider.js';

export const mistral = keyedProvider({
  name: 'mistral',
  package: '@ai-sdk/mistral',
  keys: ['MISTRAL_API_KEY'],
  url: 'https://api.mistral.ai/v1',
  load: async () => (await import('@ai-sdk/mistral')).createMistral,
});
