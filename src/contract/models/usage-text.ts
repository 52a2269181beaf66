import type { Usage } from './usage.js';

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
