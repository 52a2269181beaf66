import { addressOf, keyIn, plainProvider, valueOf, type Provider } from './provider.js';

const publicUrl = 'https://generativelanguage.googleapis.com/v1beta';
const key = keyIn('GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY');

/** Google's Gemini API. */
export const google: Provider = {
  ...plainProvider,
  name: 'google',
  aliases: ['gemini'],
  package: '@ai-sdk/google',
  pricesName: 'google',
  key,
  needs: () => [key],
  async model({ model, env, fetch }) {
    const { createGoogle } = await import('@ai-sdk/google');
    const baseURL = addressOf(env, 'GOOGLE_BASE_URL', publicUrl);
    return createGoogle({ apiKey: valueOf(key, env), baseURL, fetch })(model);
  },
};
