import { leastOf, readBudget, type Amounts, type Budget } from '../../contract/budgets/budget.js';
import { BudgetScope, currentFrame, type Bridge, type LuaState } from '../kernel/index.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';

/** What whoever has started the run lets it use, and the ceiling on its calls of models: beyond that a person is asked. */
export function runBudgets({ run, holds }: Bridge): BudgetScope[] {
  const { budget, modelCalls = 0 } = run.settings;
  const isBounded = budget !== undefined && holds('budgets');
  const hasCeiling = modelCalls > 0 && holds('model-call-ceiling');
  return [
    ...(isBounded ? [new BudgetScope('the run', budget, run.startedAt)] : []),
    ...(hasCeiling ? [new BudgetScope('the run', { modelCalls }, run.startedAt, true)] : []),
  ];
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
  return writtenBudgets(L)
    .map((scope) => scope.left(bridge.now()))
    .reduce(leastOf, {});
}

/** Those around that somebody has written, the innermost last. */
export function writtenBudgets(L: LuaState): BudgetScope[] {
  return currentFrame(L).scope.budgets.filter(({ isCeiling }) => !isCeiling);
}

/**
 * What a table has as its `budget`; null where it has none, and in runs of before there were budgets.
 * @throws TactusError naming the field
 */
export function budgetOf(
  { holds }: Bridge,
  given: JsonValue | undefined,
  what: string,
  code: ErrorCode = 'source_invalid',
): Budget | null {
  return given === undefined || given === null || !holds('budgets')
    ? null
    : readBudget(given, `${what}: budget`, code);
}
