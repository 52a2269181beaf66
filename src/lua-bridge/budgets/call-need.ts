import type { ModelCall } from '../../contract/models/model-call.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { BudgetScope, Need } from '../scheduler/budget-scope.js';

/** What tokenizers make of most texts; a little less in English. */
const bytesOfToken = 4;

/**
 * What a call of a model is expected to take: what it is sent, and what it may answer where its author bounds that. A model
 * costs what those before it have, on average.
 */
export function callNeed(
  { agent, model, system, messages, tools, settings }: ModelCall,
  budgets: readonly BudgetScope[],
): Need {
  const what = `${agent}: a call of ${model ?? 'the default model'}`;
  const counted = { what, isCall: true, modelCalls: 1 } as const;
  // What only counts calls needs no estimate.
  if (budgets.every(({ isCeiling }) => isCeiling)) return counted;
  const sent = jsonSize([system, messages, tools] as unknown as JsonValue);
  const tokens = Math.ceil(sent / bytesOfToken) + (settings.maxTokens ?? 0);
  const price = Math.max(0, ...budgets.map((scope) => scope.costOfToken));
  return { ...counted, tokens, costUsd: tokens * price };
}
