import { leastOf, type Amounts, type Budget } from '../../contract/budget.js';
import type { Bridge } from '../kernel/bridge.js';
import { currentFrame } from '../scheduler/frame.js';
import type { LuaState } from '../vm/fengari.js';
import { BudgetScope } from '../budgets/budget-scope.js';

/** What whoever has started the run lets it use. */
export function runBudgets({ run, holds }: Bridge): BudgetScope[] {
  const { budget } = run.settings;
  return budget === undefined || !holds('budgets') ? [] : [new BudgetScope('the run', budget, run.startedAt)];
}

/** Those around, and one more; null: there is no more. */
export function within(
  bridge: Bridge,
  L: LuaState,
  name: string,
  budget: Budget | null,
): readonly BudgetScope[] {
  const { budgets } = currentFrame(L).scope;
  return budget === null ? budgets : [...budgets, new BudgetScope(name, budget, bridge.now())];
}

/** What is left of all of those around: the least of each. */
export function leftOf(bridge: Bridge, L: LuaState): Amounts {
  const { budgets } = currentFrame(L).scope;
  return budgets.map((scope) => scope.left(bridge.now())).reduce(leastOf, {});
}
