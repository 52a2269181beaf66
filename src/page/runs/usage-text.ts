import type { Usage } from '../../contract/models/model-call.js';

/** In US dollars; small amounts with as many digits as they need. */
export function costText({ cost_usd }: Usage): string {
  if (cost_usd === null) return 'cost unknown';
  if (cost_usd === 0) return '$0';
  return `$${cost_usd < 0.01 ? cost_usd.toPrecision(2) : cost_usd.toFixed(2)}`;
}

export function tokensText({ input_tokens, output_tokens }: Usage): string {
  return `${(input_tokens + output_tokens).toLocaleString('en')} tokens`;
}
