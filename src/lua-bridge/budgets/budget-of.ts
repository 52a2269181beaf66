import type { Budget } from '../../contract/budgets/budget.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { readBudget } from '../../contract/budgets/read-budget.js';
import type { Bridge } from '../kernel/bridge.js';

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
