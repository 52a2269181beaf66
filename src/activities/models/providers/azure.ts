import { looseRules } from '../conversation.js';
import { readSecret } from '../../secrets/secrets.js';
import { keyIn, plainProvider, valueOf, type Need, type Provider } from './provider.js';

const key = keyIn('AZURE_API_KEY', 'AZURE_OPENAI_API_KEY');
const address: Need = {
  what: 'an address',
  ways: [['AZURE_RESOURCE_NAME'], ['AZURE_BASE_URL'], ['AZURE_OPENAI_ENDPOINT']],
};

/** OpenAI's models in Azure. A model is named by its deployment. */
export const azure: Provider = {
  ...plainProvider,
  name: 'azure',
  package: '@ai-sdk/azure',
  hasResponses: true,
  hasBackground: true,
  rules: () => ({ ...looseRules, answersPrompts: false }),
  pricesName: 'azure',
  key,
  needs: () => [key, address],
  async model({ model, env, fetch, isResponses }) {
    const { createAzure } = await import('@ai-sdk/azure');
    const endpoint = readSecret(env, 'AZURE_OPENAI_ENDPOINT')?.replace(/\/*$/, '/openai') ?? null;
    const baseURL = readSecret(env, 'AZURE_BASE_URL') ?? endpoint;
    const apiVersion = readSecret(env, 'AZURE_API_VERSION');
    const provider = createAzure({
      apiKey: valueOf(key, env),
      ...(baseURL === null ? { resourceName: valueOf(address, env) } : { baseURL }),
      ...(apiVersion === null ? {} : { apiVersion }),
      fetch,
    });
    return isResponses ? provider.responses(model) : provider.chat(model);
  },
};
