import { measureNames, type BudgetMeasure } from '../../contract/budgets/budget.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { Need, Shortage } from '../kernel/index.js';

/** What is missing, as a turn that stops for it gives it to the procedure: `result.exhausted`. */
export interface Exhausted extends JsonObject {
  /** Whose budget it is. */
  budget: string;
  /** `tokens`, `cost`, `turns`, `model_calls`, `tool_calls`, `time`. */
  what: string;
  limit: number;
  used: number;
}

/** @param refusal who didn't give more, where somebody was asked */
export function exhausted(short: Shortage, { what }: Need, refusal: string | null = null): TactusError {
  const { scope, measure } = short;
  const said = refusal === null ? '' : `; ${refusal}`;
  const facts: Exhausted = {
    budget: scope.name,
    what: measureNames[measure],
    limit: shown(measure, short.limit),
    used: shown(measure, short.used),
  };
  const isStop = scope.onExhausted === 'stop';
  return new TactusError('budget_exhausted', `${what} is beyond ${shortageText(short)}${said}`, {
    exhausted: facts,
    isStop,
  });
}

/** Where a turn is to stop for what is missing: what that is. */
export function stopOf(error: unknown): Exhausted | null {
  if (!(error instanceof TactusError) || error.code !== 'budget_exhausted') return null;
  const { exhausted: facts, isStop } = error.details;
  return isStop === true ? (facts as Exhausted) : null;
}

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
  return String(shown(measure, amount)).replace(/\B(?=(\d{3})+$)/g, ',');
}

function shown(measure: BudgetMeasure, amount: number): number {
  return measure === 'timeMs' ? amount / 1_000 : amount;
}
