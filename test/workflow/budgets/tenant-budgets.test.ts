import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { openTenantBudgets } from '../../../src/worker/tenant-budgets.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

/** A budget of a tenant over all of its runs. */

const around = serverWithProvider();
const prices = JSON.stringify({ 'openai/gpt-own': { input: 10_000, output: 10_000 } });
let worker: TestWorker;
let index: string;
let close: () => Promise<void>;

async function work(): Promise<TestWorker> {
  const opened = await openTenantBudgets({
    ...{ tenantBudgets: { acme: { costUsd: 2, per: 'month' } }, index, taskQueue: 'tactus' },
  });
  if (opened === null) throw new Error('there is a budget');
  close = opened.close;
  const env = { ...around.env, TACTUS_TEMPORAL_PRICES: prices };
  return startWorker(around.server, { activities: { env, tenantBudgets: opened.keeper } });
}

async function stop(): Promise<void> {
  await worker.stop();
  await close();
}

beforeEach(async () => {
  index = join(temporaryFolder('tenants'), 'runs.sqlite');
  worker = await work();
  around.provider.reply(() => ({ text: 'Hello', usage: { input: 90, output: 10 } }));
});
afterEach(async () => {
  for (const { target } of await around.server.tactus.holds.list())
    await around.server.tactus.holds.release(target);
  await stop();
});

const writes = procedureSource(`
  writer = Agent { model = "openai/gpt-own", system_prompt = "Write." }
  Procedure { function() writer("one") writer("two") return writer("three").output end }`);
const asked = procedureSource(`
  writer = Agent { model = "openai/gpt-own", system_prompt = "Write." }
  Procedure { function() Event.wait("go") return writer("one").output end }`);
const start = (fairnessKey: string): Promise<TactusRun> =>
  around.server.tactus.start(writes, {}, { priority: { fairnessKey } });
const whenHeld = (run: TactusRun) =>
  waitUntil(async () => {
    const view = await run.status();
    return view.held !== undefined && view;
  });

describe('a call that waited for a hold of its tenant', () => {
  it('is looked at again where the hold has ended by itself: the next period has a budget, too', async () => {
    const { holds } = around.server.tactus;
    // Of the budget of $2, both are used up.
    expect(await (await start('other')).result()).toBe('Hello');
    const first = await start('acme');
    await whenHeld(first);
    await holds.release('tenant:acme');
    expect(await first.result()).toBe('Hello');
    const before = around.provider.requests.length;

    // As if the period ended in a moment, and the next one had no budget left.
    const priority = { fairnessKey: 'acme' };
    const second = await around.server.tactus.start(asked, {}, { priority });
    await holds.add('tenant:acme', { reason: 'a while', by: 'ann', until: new Date(Date.now() + 4_000) });
    await second.send('go', true);
    expect((await whenHeld(second)).held?.[0]?.by).toBe('ann');
    await waitUntil(async () => (await holds.list())[0]?.by === 'tenant_budgets');
    await waitUntil(async () => (await second.status()).held?.[0]?.by === 'tenant_budgets');
    expect(around.provider.requests).toHaveLength(before);
    await second.cancel();
    for (const each of [first, second]) expect(await replayRun(around.server.client, each)).toEqual([]);
  });
});

describe('a tenant whose budget is used up', () => {
  it('is held with all of its runs, over workers that come and go, and goes on when it is released', async () => {
    const run = await start('acme');
    expect(await whenHeld(run)).toMatchObject({
      held: [
        {
          target: 'tenant:acme',
          by: 'tenant_budgets',
          reason: 'the budget is used up: $2.00 of $2 each month',
        },
      ],
      waits: [{ kind: 'activity', held: true, hold: 'tenant:acme' }],
    });
    expect(around.provider.requests).toHaveLength(2);
    // Others go on, and new runs of the tenant begin paused.
    expect(await (await start('other')).result()).toBe('Hello');
    const second = await start('acme');
    expect(await whenHeld(second)).toMatchObject({ status: 'paused', paused: { hold: 'tenant:acme' } });
    await stop();
    worker = await work();

    const { holds } = around.server.tactus;
    const [{ until = null } = {}] = await holds.list();
    const now = new Date();
    expect(until).toBe(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString());
    await holds.release('tenant:acme');
    // The call that was let go is made. The first call of the other run finds the budget used up again.
    expect(await run.result()).toBe('Hello');
    const again = await waitUntil(async () => {
      const view = await second.status();
      return view.status === 'running' && view.held !== undefined && view;
    });
    expect(again.held?.[0]?.reason).toMatch(/^the budget is used up: \$[23]\.00 of \$2 each month$/);
    expect(around.provider.requests).toHaveLength(6);
    await second.cancel();
    for (const each of [run, second]) expect(await replayRun(around.server.client, each)).toEqual([]);
  });
});
