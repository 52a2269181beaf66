import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TenantBudgetKeeper } from '../../../../src/activities/budgets/tenant-budgets.js';
import type { TenantBudgets } from '../../../../src/contract/budgets/tenant-budget.js';
import { holdsMemo, type Hold } from '../../../../src/contract/changes/hold.js';
import { holdsType } from '../../../../src/contract/names.js';
import { openTenantUsage } from '../../../../src/read-model/open-run-index.js';
import type { TenantUsageStore } from '../../../../src/read-model/tenant-usage.js';
import { startProviderStandIn, type ProviderStandIn } from '../../../support/provider-stand-in.js';
import { describing, failureOf, idempotencyKey, logged, makeCall, runActivity } from '../run-activity.js';

/** What a worker counts of tenants, and when it holds one. */

const now = Date.parse('2026-11-30T12:34:56Z');
const hold: Hold = {
  ...{ id: 'h', target: 'tenant:acme', reason: 'used up', by: null, since: now, until: null },
};
let provider: ProviderStandIn;
let store: TenantUsageStore;
/** What was ordered; it holds from then on. */
let orders: unknown[];
let isHeld: boolean;

beforeAll(async () => {
  provider = await startProviderStandIn();
});
afterAll(() => provider.close());
beforeEach(async () => {
  store = await openTenantUsage(':memory:');
  [orders, isHeld] = [[], false];
  provider.requests.length = 0;
  provider.reply(() => ({ text: 'Hi', usage: { input: 90, output: 10 } }));
});

const keeper = (budgets: TenantBudgets, change: Partial<TenantUsageStore> = {}): TenantBudgetKeeper =>
  new TenantBudgetKeeper({
    budgets,
    usage: { add: (...given) => store.add(...given), of: (...given) => store.of(...given), ...change },
    hold: async (tenant, options) => {
      orders.push({ tenant, ...options });
      isHeld = true;
      // As the real one: no worker goes by what it has read before.
      await delay(1_050);
    },
    now: () => now,
  });

const holdsNow = describing(async () => ({
  ...{ type: holdsType, status: { name: 'RUNNING' } },
  memo: { [holdsMemo]: { holds: isHeld ? [{ ...hold, waiting: 0 }] : [] } },
}));

async function call(
  tenantBudgets: TenantBudgetKeeper,
  { fairnessKey = 'acme', holds = {} }: { fairnessKey?: string; holds?: object } = {},
): Promise<unknown> {
  const env = {
    ...{ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` },
    TACTUS_TEMPORAL_PRICES: JSON.stringify({ 'openai/gpt-own': { input: 10_000, output: 10_000 } }),
  };
  const input = {
    ...{ call: makeCall({ model: 'openai/gpt-own' }), idempotencyKey },
    holds: { procedure: 'main', ...(fairnessKey === '' ? {} : { tenant: fairnessKey }), ...holds },
  };
  return runActivity('modelCall', input, {
    client: holdsNow,
    deps: { env, tenantBudgets },
  });
}

const day = now - (now % 86_400_000);
const used = () => store.of('acme', day, day + 86_400_000);

describe('calls of a tenant', () => {
  it('are counted, and the first that finds the budget used up holds the tenant until its period ends', async () => {
    const budgets = keeper({ acme: { costUsd: 2, per: 'day' } });
    await call(budgets);
    await call(budgets);
    expect(await used()).toEqual({ costUsd: 2, tokens: 200, modelCalls: 2, unpricedCalls: 0 });
    expect(orders).toEqual([]);
    const failure = await failureOf(call(budgets));
    expect(failure).toMatchObject({ type: 'held', details: [{ hold: { target: 'tenant:acme' } }] });
    expect(orders).toEqual([
      {
        tenant: 'acme',
        reason: 'the budget is used up: $2.00 of $2 each day',
        by: 'tenant_budgets',
        until: new Date('2026-12-01T00:00:00Z'),
      },
    ]);
    expect(provider.requests).toHaveLength(2);
    // One that a release of the tenant has let go is made, and counted.
    await call(budgets, { holds: { released: ['h'], isTenantReleased: true } });
    expect(await used()).toMatchObject({ modelCalls: 3 });
    expect(orders).toHaveLength(1);
  });

  it('that begin together make one hold', async () => {
    const budgets = keeper({ '*': { modelCalls: 0, per: 'hour' } });
    const failures = await Promise.all([1, 2, 3, 4].map(() => failureOf(call(budgets))));
    expect(new Set(failures.map(({ type }) => type))).toEqual(new Set(['held']));
    expect(orders).toHaveLength(1);
  });

  it('of others, and of runs without a tenant, are not held', async () => {
    const budgets = keeper({ acme: { modelCalls: 0, per: 'day' } });
    await call(budgets, { fairnessKey: 'other' });
    await call(budgets, { fairnessKey: '' });
    expect([provider.requests.length, orders.length]).toEqual([2, 0]);
    expect([...(await store.since(0)).keys()]).toEqual([]);
  });

  it('are made while the database doesn’t answer, and their answers aren’t kept back', async () => {
    const never = new Promise<never>(() => undefined);
    const budgets = keeper({ acme: { costUsd: 100, per: 'day' } }, { add: () => never, of: () => never });
    const began = performance.now();
    await call(budgets);
    expect(provider.requests).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('are made while the database is away, and counted when it is back', async () => {
    let isAway = true;
    const budgets = keeper(
      { acme: { costUsd: 100, per: 'day' } },
      {
        add: async (...given) => (isAway ? Promise.reject(new Error('no route')) : store.add(...given)),
        of: async (...given) => (isAway ? Promise.reject(new Error('no route')) : store.of(...given)),
      },
    );
    logged.length = 0;
    await call(budgets);
    await call(budgets);
    expect(
      logged.filter((line) => line.includes("The usage of tenants can't be counted: no route")),
    ).toHaveLength(1);
    isAway = false;
    await call(budgets);
    expect(await used()).toMatchObject({ costUsd: 3, modelCalls: 3 });
  });

  it('without a known price are counted as such', async () => {
    provider.reply(() => ({ text: 'Hi', usage: null }));
    await call(keeper({ acme: { costUsd: 2, per: 'day' } }));
    expect(await used()).toMatchObject({ costUsd: 0, modelCalls: 1, unpricedCalls: 1 });
  });

  it('of a tenant whose key would hold others wait by attempts, and hold nobody', async () => {
    const budgets = keeper({ '*': { modelCalls: 0, per: 'day' } });
    const failure = await failureOf(call(budgets, { fairnessKey: '*' }));
    expect(failure).toMatchObject({ type: 'budget_exhausted' });
    expect(orders).toEqual([]);
  });

  it('wait by attempts where the tenant can’t be held', async () => {
    const budgets = new TenantBudgetKeeper({
      budgets: { acme: { modelCalls: 0, per: 'day' } },
      usage: store,
      hold: () => Promise.reject(new Error('there are 200 holds')),
    });
    const failure = await failureOf(call(budgets));
    expect(failure).toMatchObject({ type: 'budget_exhausted', nextRetryDelay: 60_000 });
    expect([failure.nonRetryable ?? false, failure.message]).toEqual([
      false,
      "tenant:acme: the budget is used up: 0 of 0 calls of models each day, and the tenant can't be held: there are 200 holds",
    ]);
  });
});
