import type { Outcome } from '../checkpoints/checkpoint.js';
import { isObject, jsonAs } from '../json/json.js';
import { callCost, type ModelCallResult, type RunUsage } from '../models/model-call.js';

/** What an answer cost: a model's says so itself, of others the outcome does. @param saysUsage whether it is a model's */
export function usageOfAnswer(
  { usage, ...outcome }: Outcome,
  saysUsage: boolean,
): { usage: RunUsage | null; model: string } {
  if (usage !== undefined) return { usage, model: 'a model' };
  const value = outcome.ok && saysUsage ? outcome.value : null;
  if (!isObject(value) || !isObject(value['usage'] ?? null)) return { usage: null, model: '' };
  const { usage: call, model } = jsonAs<ModelCallResult>(value);
  const { input_tokens, output_tokens } = call;
  return { usage: { input_tokens, output_tokens, cost_usd: callCost(call, model) }, model };
}
