import { expect, it } from 'vitest';
import { tenantBudgetsOf } from '../../../src/configuration/tenant-budgets.js';
import type { JsonValue } from '../../../src/contract/json/json.js';

const read = (...given: JsonValue[]) =>
  tenantBudgetsOf(given.map((each, i) => ({ file: `${i}.yml`, config: { tenant_budgets: each } })));

it('budgets of tenants are read by their keys, those of later files last', () => {
  expect(
    read(
      { '*': { cost: 5, per: 'day' }, acme: { cost: 20, per: 'day' } },
      { acme: { tokens: 1_000, model_calls: 0, per: 'month' } },
    ),
  ).toEqual({
    '*': { costUsd: 5, per: 'day' },
    acme: { tokens: 1_000, modelCalls: 0, per: 'month' },
  });
});

it.each<[JsonValue, string]>([
  ['acme', '0.yml: tenant_budgets must be a table of budgets by fairness keys'],
  [{ acme: 20 }, 'tenant_budgets.acme must be a table with per'],
  [{ acme: { cost: 20 } }, 'tenant_budgets.acme.per must be one of hour, day, month'],
  [{ acme: { cost: 20, per: 'week' } }, 'tenant_budgets.acme.per must be one of'],
  [{ acme: { per: 'day' } }, 'must have at least one of cost, tokens and model_calls'],
  [{ acme: { cost: -1, per: 'day' } }, 'tenant_budgets.acme.cost must be a number from 0 on'],
  [{ acme: { cost: '20', per: 'day' } }, 'tenant_budgets.acme.cost must be a number from 0 on'],
  [{ acme: { dollars: 20, per: 'day' } }, 'tenant_budgets.acme has the unknown field dollars'],
])('%j is refused', (given, message) => {
  expect(() => read(given)).toThrow(message);
});
