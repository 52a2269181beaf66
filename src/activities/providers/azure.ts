import { keyIn, keyOf, plainProvider, type Need, type Provider } from './provider.js';

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
  pricesName: 'azure',
  key,
  needs: () => [key, address],
  async model({ model, env, fetch, isResponses }) {
    const { createAzure } = await import('@ai-sdk/azure');
    const { AZURE_BASE_URL, AZURE_OPENAI_ENDPOINT, AZURE_RESOURCE_NAME, AZURE_API_VERSION } = env;
    const endpoint = AZURE_OPENAI_ENDPOINT?.replace(/\/*$/, '/openai');
    const baseURL = AZURE_BASE_URL ?? endpoint;
    const provider = createAzure({
      apiKey: keyOf(key, env),
      ...(baseURL === undefined ? { resourceName: AZURE_RESOURCE_NAME ?? '' } : { baseURL }),
      ...(AZURE_API_VERSION === undefined ? {} : { apiVersion: AZURE_API_VERSION }),
      fetch,
    });
    return isResponses ? provider.responses(model) : provider.chat(model);
  },
};
