import { addressOf, keyIn, plainProvider, valueOf, type Provider } from './provider.js';

const publicUrl = 'https://api.mistral.ai/v1';
const key = keyIn('MISTRAL_API_KEY');

export const mistral: Provider = {
  ...plainProvider,
  name: 'mistral',
  package: '@ai-sdk/mistral',
  pricesName: 'mistral',
  key,
  needs: () => [key],
  async model({ model, env, fetch }) {
    const { createMistral } = await import('@ai-sdk/mistral');
    const baseURL = addressOf(env, 'MISTRAL_BASE_URL', publicUrl);
    return createMistral({ apiKey: valueOf(key, env), baseURL, fetch })(model);
  },
};
