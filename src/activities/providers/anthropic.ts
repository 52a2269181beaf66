import { addressOf, keyIn, plainProvider, valueOf, type Provider } from './provider.js';

const publicUrl = 'https://api.anthropic.com/v1';
const key = keyIn('ANTHROPIC_API_KEY');

/** Anthropic's Messages API. Its own tools take the base URL without the version, the AI SDK with it: both work. */
export const anthropic: Provider = {
  ...plainProvider,
  name: 'anthropic',
  defaultModel: 'claude-haiku-4-5',
  pricesName: 'anthropic',
  key,
  needs: () => [key],
  async model({ model, env, fetch }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const baseURL = addressOf(env, 'ANTHROPIC_BASE_URL', publicUrl).replace(/(\/v1)?$/, '/v1');
    return createAnthropic({ apiKey: valueOf(key, env), baseURL, fetch })(model);
  },
};
