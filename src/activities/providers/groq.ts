import { addressOf, keyIn, plainProvider, valueOf, type Provider } from './provider.js';

const publicUrl = 'https://api.groq.com/openai/v1';
const key = keyIn('GROQ_API_KEY');

export const groq: Provider = {
  ...plainProvider,
  name: 'groq',
  package: '@ai-sdk/groq',
  pricesName: 'groq',
  key,
  needs: () => [key],
  async model({ model, env, fetch }) {
    const { createGroq } = await import('@ai-sdk/groq');
    const baseURL = addressOf(env, 'GROQ_BASE_URL', publicUrl);
    return createGroq({ apiKey: valueOf(key, env), baseURL, fetch })(model);
  },
};
