import { budgetMeasures, measureNames } from '../../contract/budgets/budget.js';
import type { JsonObject } from '../../contract/json/json.js';
import { leftOf } from './run-budgets.js';
import { Library, pushJson, type Bridge } from '../kernel/index.js';

/** `Budget.left()`: of what bounds this part of the run, what is left. */
export function openBudget(bridge: Bridge): void {
  budget.open(bridge);
}

const budget = new Library('Budget', (bridge) => ({
  left: (L) => {
    const amounts = leftOf(bridge, L);
    const left: JsonObject = {};
    for (const measure of budgetMeasures) {
      const amount = amounts[measure];
      if (amount !== undefined) left[measureNames[measure]] = measure === 'timeMs' ? amount / 1_000 : amount;
    }
    pushJson(L, left);
    return 1;
  },
}));
