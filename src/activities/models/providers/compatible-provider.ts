import { readSecret } from '../../secrets/read-secret.js';
import { compatibleModel } from './compatible-model.js';
import { addressOf, keyIn, plainProvider, type Provider } from './provider.js';

/** A provider that speaks OpenAI's protocol. */
export interface Compatible {
  name: string;
  /** Where it is, unless the variable `<NAME>_BASE_URL` says otherwise. */
  url: string;
  /** Whether it wants a key, in `<NAME>_API_KEY`; one that is there is sent in any case. */
  wantsKey: boolean;
}

export function compatibleProvider({ name, url, wantsKey }: Compatible): Provider {
  const prefix = name.toUpperCase();
  const variable = `${prefix}_API_KEY`;
  const key = keyIn(variable);
  return {
    ...plainProvider,
    name,
    pricesName: name,
    key,
    needs: () => (wantsKey ? [key] : []),
    model: ({ model, env, fetch }) =>
      compatibleModel({
        name,
        model,
        url: addressOf(env, `${prefix}_BASE_URL`, url),
        apiKey: readSecret(env, variable),
        fetch,
      }),
  };
}
