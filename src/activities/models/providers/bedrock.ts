import { readSecret } from '../../secrets/secrets.js';
import { addressOf, plainProvider, valueOf, wayOf, type Need, type Provider } from './provider.js';

const token = 'AWS_BEARER_TOKEN_BEDROCK';
const key: Need = { what: 'a key', ways: [[token], ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']] };
const region: Need = { what: 'a region', ways: [['AWS_REGION'], ['AWS_DEFAULT_REGION']] };

/** Amazon Bedrock, by its Converse API: by a key of Bedrock's own, or by signed requests. */
export const bedrock: Provider = {
  ...plainProvider,
  name: 'bedrock',
  package: '@ai-sdk/amazon-bedrock',
  pricesName: 'aws',
  key,
  needs: () => [key, region],
  async model({ model, env, fetch }) {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const place = valueOf(region, env);
    const secret = (name: string): string => readSecret(env, name) ?? '';
    const hasToken = wayOf(key, env)?.[0] === token;
    const sessionToken = readSecret(env, 'AWS_SESSION_TOKEN');
    const provider = createAmazonBedrock({
      region: place,
      baseURL: addressOf(env, 'BEDROCK_BASE_URL', `https://bedrock-runtime.${place}.amazonaws.com`),
      // '' keeps the library from looking into the environment of the process.
      apiKey: hasToken ? secret(token) : '',
      accessKeyId: secret('AWS_ACCESS_KEY_ID'),
      secretAccessKey: secret('AWS_SECRET_ACCESS_KEY'),
      ...(sessionToken === null ? {} : { sessionToken }),
      fetch,
    });
    return provider(model);
  },
};
