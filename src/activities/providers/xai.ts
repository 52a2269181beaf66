import { addressOf, keyIn, plainProvider, valueOf, type Provider } from './provider.js';

const publicUrl = 'https://api.x.ai/v1';
const key = keyIn('XAI_API_KEY');

/** xAI's Grok, which has the Responses API alone. */
export const xai: Provider = {
  ...plainProvider,
  name: 'xai',
  package: '@ai-sdk/xai',
  hasResponses: true,
  isStreamed: true,
  pricesName: 'x-ai',
  key,
  needs: () => [key],
  async model({ model, env, fetch }) {
    const { createXai } = await import('@ai-sdk/xai');
    const baseURL = addressOf(env, 'XAI_BASE_URL', publicUrl);
    return createXai({ apiKey: valueOf(key, env), baseURL, fetch })(model);
  },
};
