import { keyedProvider } from './provider.js';

/** Google's Gemini API. */
export const google = keyedProvider({
  name: 'google',
  package: '@ai-sdk/google',
  keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  url: 'https://generativelanguage.googleapis.com/v1beta',
  load: async () => (await import('@ai-sdk/google')).createGoogle,
});
