import { isObject, type JsonValue } from '../json/json.js';

/** Prices of one's own, as JSON: `{"openai/my-model": {"input": 0.5, "output": 2}}`. */
export const pricesVariable = 'TACTUS_TEMPORAL_PRICES';

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
}

export function isPrice(value: JsonValue | undefined): boolean {
  if (!isObject(value ?? null)) return false;
  const { input, output } = value as Record<string, unknown>;
  return isAmount(input) && isAmount(output);
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}
