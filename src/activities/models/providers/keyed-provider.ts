import type { ProviderModel } from './provider-model.js';
import { addressOf, keyIn, plainProvider, valueOf, type Provider } from './provider.js';

/** What the AI SDK's packages are given. All of it, since they would else look into the environment of the process. */
export interface Access {
  apiKey: string;
  baseURL: string;
  fetch: typeof fetch;
}

/** A provider that wants one key. */
export interface Keyed extends Partial<Omit<Provider, 'name' | 'key' | 'needs' | 'model'>> {
  name: string;
  /** Variables, of which one has the key. */
  keys: readonly string[];
  /** Where it is, unless the variable `<NAME>_BASE_URL` says otherwise. */
  url: string;
  /** Loads its package. */
  load: () => Promise<(access: Access) => (model: string) => ProviderModel>;
}

export function keyedProvider({ keys, url, load, ...provider }: Keyed): Provider {
  const key = keyIn(...keys);
  const { name } = provider;
  return {
    ...plainProvider,
    pricesName: name,
    ...provider,
    key,
    needs: () => [key],
    async model({ model, env, fetch }) {
      const baseURL = addressOf(env, `${name.toUpperCase()}_BASE_URL`, url);
      return (await load())({ apiKey: valueOf(key, env), baseURL, fetch })(model);
    },
  };
}
