import { stricterBudget, type Budget } from '../contract/budgets/budget.js';
import { getOwn, type JsonObject } from '../contract/json/json.js';
import { readBudget } from '../contract/budgets/read-budget.js';

/**
 * What several files let a run use, together: of everything the least. A file that lies beside a procedure can allow less than
 * those above it, and no more.
 * @throws TactusError config_invalid
 */
export function budgetOf(configs: readonly { file: string; config: JsonObject }[]): Budget | null {
  const budgets = configs.flatMap(({ file, config }) => {
    const given = getOwn(config, 'budget') ?? null;
    return given === null ? [] : [readBudget(given, `${file}: budget`, 'config_invalid')];
  });
  return budgets.length === 0 ? null : budgets.reduce(stricterBudget);
}
