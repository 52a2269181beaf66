import type { BudgetMeasure } from '../../contract/budgets/budget.js';
import type { Shortage } from '../kernel/index.js';

/** `the budget of the run: 1,200 of 1,000 tokens are used`. */
export function shortageText({ scope, measure, limit, used, unpriced }: Shortage): string {
  const of = `the budget of ${scope.name}`;
  if (unpriced !== null)
    return `${of}: what it has cost isn't known, for ${unpriced} has no price; name one in \`prices\``;
  const amounts = `${numberText(measure, used)} of ${amountText(measure, limit)}`;
  return used >= limit ? `${of}: ${amounts} used` : `${of}: ${amounts} used, and it wouldn't fit`;
}

/** An amount for people: `1,200 tokens`, `$0.5`. */
export function amountText(measure: BudgetMeasure, amount: number): string {
  return `${numberText(measure, amount)}${units[measure]}`;
}

const units: Readonly<Record<BudgetMeasure, string>> = {
  tokens: ' tokens',
  costUsd: '',
  turns: ' turns',
  modelCalls: ' calls of models',
  toolCalls: ' calls of tools',
  timeMs: ' s',
};

function numberText(measure: BudgetMeasure, amount: number): string {
  if (measure === 'costUsd') return `$${Math.round(amount * 1e6) / 1e6}`;
  return String(displayAmount(measure, amount)).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function displayAmount(measure: BudgetMeasure, amount: number): number {
  return measure === 'timeMs' ? amount / 1_000 : amount;
}
