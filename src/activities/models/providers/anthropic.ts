import { keyedProvider } from './provider.js';

/** Anthropic's Messages API. Its own tools take the base URL without the version, the AI SDK with it: both work. */
export const anthropic = keyedProvider({
  name: 'anthropic',
  batches: 'messages',
  defaultModel: 'claude-haiku-4-5',
  keys: ['ANTHROPIC_API_KEY'],
  url: 'https://api.anthropic.com/v1',
  load: async () => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return ({ baseURL, ...access }) =>
      createAnthropic({ ...access, baseURL: baseURL.replace(/(\/v1)?$/, '/v1') });
  },
});
