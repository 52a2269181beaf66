import { keyedProvider } from './provider.js';

export const groq = keyedProvider({
  name: 'groq',
  batches: 'files',
  package: '@ai-sdk/groq',
  keys: ['GROQ_API_KEY'],
  url: 'https://api.groq.com/openai/v1',
  load: async () => (await import('@ai-sdk/groq')).createGroq,
});
