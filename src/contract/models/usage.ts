import { isObject, type JsonValue } from '../json/json.js';
import type { CallUsage } from './model-call.js';

/** Tokens and money that a run has used; the `usage` of the command line's JSON. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** null where a model without a known price was called. */
  cost_usd: number | null;
}

export const nothingUsed: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

/** Of two parts of a run, or of a run and one that it has started. */
export function sumUsage(one: Usage, other: Usage): Usage {
  const isKnown = one.cost_usd !== null && other.cost_usd !== null;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cost_usd: isKnown ? exact((one.cost_usd ?? 0) + (other.cost_usd ?? 0)) : null,
  };
}

/** Of two answers, of which there may be no first; what they cost is known where it is of both. */
export function sumCallUsage(one: CallUsage | null, other: CallUsage): CallUsage {
  if (one === null) return other;
  const isPriced = one.input_usd !== undefined && other.input_usd !== undefined;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    ...(isPriced
      ? {
          input_usd: (one.input_usd ?? 0) + (other.input_usd ?? 0),
          output_usd: (one.output_usd ?? 0) + (other.output_usd ?? 0),
        }
      : {}),
  };
}

/** US dollars of one call of a model, `provider/model`; null where they aren't known. */
export function callCost(
  { input_usd: input, output_usd: output = 0 }: CallUsage,
  model: string,
): number | null {
  // Results of before there were prices have none; the local model is free.
  return input === undefined ? (model.startsWith('local/') ? 0 : null) : input + output;
}

/** An amount without what binary fractions add. */
export function exact(dollars: number): number {
  return Math.round(dollars * 1e10) / 1e10;
}

/** Whether what a run was told is a usage. */
export function isUsage(given: unknown): given is Usage {
  const { input_tokens, output_tokens, cost_usd } = (given ?? {}) as Record<string, unknown>;
  return (
    typeof input_tokens === 'number' &&
    typeof output_tokens === 'number' &&
    (cost_usd === null || typeof cost_usd === 'number')
  );
}

/** Less than this is no amount to read: `$0.0001`. */
const leastShown = 0.0001;

/** What a run has used, for people: `1234 tokens`, `$0.02` where its cost is known and isn't nothing; empty where it asked no model. */
export function usageTexts({ input_tokens, output_tokens, cost_usd }: Usage): string[] {
  const tokens = input_tokens + output_tokens;
  if (tokens === 0) return [];
  const cost = cost_usd ?? 0;
  if (cost === 0) return [`${tokens} tokens`];
  const dollars = cost < leastShown ? `less than $${leastShown}` : `$${Number(cost.toFixed(4))}`;
  return [`${tokens} tokens`, dollars];
}

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
