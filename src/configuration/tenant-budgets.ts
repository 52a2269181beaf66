import { budgetPeriods, type TenantBudget } from '../contract/budgets/tenant-budget.js';
import { defined, getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { configInvalid } from './setting-values.js';

/** It counts in files that hold for all procedures alone. */
export const tenantBudgetsSetting = 'tenant_budgets';

const fields = ['cost', 'tokens', 'model_calls', 'per'];

/**
 * Reads the budgets of tenants of several files, by fairness keys with `*` for anything. Later files win.
 * @throws TactusError config_invalid
 */
export function tenantBudgetsOf(
  configs: readonly { file: string; config: JsonObject }[],
): Record<string, TenantBudget> {
  const budgets: Record<string, TenantBudget> = {};
  for (const { file, config } of configs) {
    const given = getOwn(config, tenantBudgetsSetting) ?? {};
    const where = `${file}: ${tenantBudgetsSetting}`;
    if (!isObject(given)) throw configInvalid(`${where} must be a table of budgets by fairness keys`);
    for (const [tenant, budget] of Object.entries(given))
      setOwn(budgets, tenant, readTenantBudget(budget, `${where}.${tenant}`));
  }
  return budgets;
}

function readTenantBudget(given: JsonValue, where: string): TenantBudget {
  if (!isObject(given)) throw configInvalid(`${where} must be a table with per, and with what it limits`);
  const odd = Object.keys(given).find((name) => !fields.includes(name));
  if (odd !== undefined)
    throw configInvalid(`${where} has the unknown field ${odd}; there are ${fields.join(', ')}`);
  const per = budgetPeriods.find((each) => each === given['per']);
  if (per === undefined) throw configInvalid(`${where}.per must be one of ${budgetPeriods.join(', ')}`);
  const amount = (name: string): number | undefined => {
    const value = getOwn(given, name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && value >= 0) return value;
    throw configInvalid(`${where}.${name} must be a number from 0 on`);
  };
  const amounts = defined({
    costUsd: amount('cost'),
    tokens: amount('tokens'),
    modelCalls: amount('model_calls'),
  });
  if (Object.keys(amounts).length === 0)
    throw configInvalid(`${where} must have at least one of cost, tokens and model_calls`);
  return { ...amounts, per };
}
