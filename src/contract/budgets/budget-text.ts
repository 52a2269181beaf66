import type { BudgetView } from './budget.js';

const units: Readonly<Record<string, string>> = {
  cost: 'US dollars',
  time: 'seconds',
  tool_calls: 'calls of tools',
};

/** How a budget stands, in one line: `budget of the run: 1200 of 5000 tokens, 3 of 20 turns`. */
export function budgetText({ of, limits, used }: BudgetView): string {
  const amounts = Object.entries(limits).map(
    ([name, limit]) => `${used[name] ?? 0} of ${limit} ${units[name] ?? name}`,
  );
  return `budget of ${of}: ${amounts.length === 0 ? 'no limits are left' : amounts.join(', ')}`;
}
