import { describe, expect, it } from 'vitest';
import {
  budgetOfTenant,
  noTenantUsage,
  periodAt,
  usedUpText,
  type BudgetPeriod,
} from '../../../../src/contract/budgets/tenant-budget.js';

describe('a period', () => {
  it.each<[BudgetPeriod, string, string, string]>([
    ['hour', '2026-11-30T23:59:59.999Z', '2026-11-30T23:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['day', '2026-11-30T00:00:00.000Z', '2026-11-30T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['day', '2028-02-28T12:00:00.000Z', '2028-02-28T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['month', '2026-12-31T23:00:00.000Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ])('%s of %s', (per, now, start, end) => {
    expect(periodAt(per, Date.parse(now))).toEqual({ start: Date.parse(start), end: Date.parse(end) });
  });
});

it('a tenant has the budget of its name, else that of the longest pattern', () => {
  const [all, eu, acme] = [
    { costUsd: 1, per: 'day' },
    { costUsd: 2, per: 'day' },
    { costUsd: 3, per: 'day' },
  ] as const;
  const budgets = { '*': all, '*-eu': eu, 'acme-eu': acme };
  expect(['acme-eu', 'other-eu', 'other'].map((tenant) => budgetOfTenant(budgets, tenant))).toEqual([
    ...[acme, eu, all],
  ]);
  expect(budgetOfTenant({ acme: all }, 'other')).toBeNull();
});

describe('a budget is used up', () => {
  const usage = { ...noTenantUsage, costUsd: 20.034, tokens: 900, modelCalls: 3 };
  it.each([
    [{ costUsd: 20, per: 'day' as const }, '$20.03 of $20 each day'],
    [{ costUsd: 21, tokens: 900, per: 'hour' as const }, '900 of 900 tokens each hour'],
    [{ modelCalls: 2, per: 'month' as const }, '3 of 2 calls of models each month'],
    [{ costUsd: 20.1, tokens: 901, modelCalls: 4, per: 'day' as const }, null],
    [{ costUsd: 0, per: 'day' as const }, '$20.03 of $0 each day'],
  ])('%j: %s', (budget, text) => expect(usedUpText(budget, usage)).toBe(text));
});
