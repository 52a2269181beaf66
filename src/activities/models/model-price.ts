import { isObject, type JsonValue } from '../../contract/json/json.js';
import type { CallUsage } from '../../contract/models/model-call.js';
import { isPrice, pricesVariable, type Price } from '../../contract/models/prices.js';
import type { Environment } from '../../contract/environment.js';

const million = 1_000_000;

/** Tokens of an answer, as its provider counted them. */
export interface Tokens {
  input_tokens: number;
  output_tokens: number;
  /** Of the input: those that the provider had kept from before, which cost less. */
  cached_tokens: number;
}

/**
 * What an answer costs: by prices of one's own for any of the model's names, else by the list of the package
 * `@pydantic/genai-prices`. Nothing is added where neither knows it.
 * @param names `provider/model`: as the answer has it, and as it was asked for
 */
export async function priced(tokens: Tokens, names: readonly string[], env: Environment): Promise<CallUsage> {
  const { cached_tokens, ...usage } = tokens;
  if (names.some((name) => name.startsWith('local/'))) return { ...usage, input_usd: 0, output_usd: 0 };
  // A provider that counts nothing leaves open what it costs.
  if (usage.input_tokens === 0) return usage;
  const own = ownPrices(env);
  for (const name of names) {
    const price = own[name];
    if (price === undefined) continue;
    const { input, output } = price;
    return {
      ...usage,
      input_usd: (usage.input_tokens * input) / million,
      output_usd: (usage.output_tokens * output) / million,
    };
  }
  // Some hundred KB of prices, for whoever has asked a model.
  const { calcPrice } = await import('@pydantic/genai-prices');
  for (const name of names) {
    const [providerId = '', ...rest] = name.split('/');
    const counted = { ...usage, cache_read_tokens: Math.min(cached_tokens, usage.input_tokens) };
    const price = calcPrice(counted, rest.join('/'), { providerId });
    if (price !== null) return { ...usage, input_usd: price.input_price, output_usd: price.output_price };
  }
  return usage;
}

/** The prices of one's own; what is no price is left out. */
function ownPrices(env: Environment): Record<string, Price> {
  const text = env[pricesVariable] ?? '';
  if (text === '') return {};
  const given = read(text);
  const entries = Object.entries(isObject(given) ? given : {});
  return Object.fromEntries(entries.filter(([, price]) => isPrice(price))) as unknown as Record<
    string,
    Price
  >;
}

function read(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null; // configuration says what is wrong with it before it gets here
  }
}
