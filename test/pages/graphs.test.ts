import { join, resolve } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../src/client/tactus-client.js';
import { appendReducer, defineGraph, EngineExecutor, GraphInterrupt } from '../../src/graph.js';
import { hasBrowser } from '../support/browser.js';
import { pageUnderTest } from '../support/page-under-test.js';
import { procedureSource } from '../support/procedure-source.js';
import { expectAccessible, expectNoSideScroll, sitDown } from '../support/served-page.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';

/** `SCREENSHOTS=keep` puts what the tests saw into the documents. */
const pictures = process.env['SCREENSHOTS'] === 'keep' ? resolve('docs/images') : null;
const patience = { timeout: 60_000 };
const taskQueue = 'with-graphs';

/** As in examples/typescript-graph. */
const refunds = defineGraph<{ order: string; facts: string[]; cents: number; mail: string; outcome: string }>(
  {
    name: 'refunds',
    channels: {
      ...{ order: undefined, facts: appendReducer(), mail: undefined, outcome: undefined },
      cents: (current, update) => Math.min(current ?? update, update),
    },
    entrypoint: 'begin',
    nodes: {
      begin: async () => ({ stateDiff: {}, nextTasks: ['paid', 'policy'] }),
      paid: async ({ state }) => ({
        stateDiff: { facts: [`${state.order} was paid with 4,000 cents`], cents: 4_000 },
        ledgerEvents: [{ topic: 'looked_up', key: 'paid', data: {} }],
        nextTasks: ['write'],
      }),
      policy: async () => ({
        stateDiff: { facts: ['a refund is 2,500 cents at most'], cents: 2_500 },
        ledgerEvents: [{ topic: 'looked_up', key: 'policy', data: {} }],
        nextTasks: ['write'],
      }),
      write: async ({ state }) => ({
        stateDiff: { mail: `Dear Ann, we refund ${state.cents} cents for ${state.order}.` },
        nextTasks: ['approve'],
      }),
      approve: async ({ state, resumePayload }) => {
        if (resumePayload === undefined)
          throw new GraphInterrupt('refund it?', { mail: state.mail, facts: state.facts });
        return {
          stateDiff: {},
          intents: [{ type: 'send_mail', payload: { text: state.mail } }],
          nextTasks: ['refund'],
        };
      },
      refund: async ({ state }) => ({ stateDiff: { outcome: `refunded ${state.cents} cents` } }),
    },
  },
);

const source = `
local inner = Graph { name = "inner", channels = { x = Graph.last }, nodes = {
  only = function() return { writes = { x = 1 } } end,
} }
main = Graph { channels = { notes = Graph.append }, entrypoint = "plan", nodes = {
  plan = function() inner({}) return { writes = { notes = { "<b>begun</b>" } }, next = { "ask", "bad" } } end,
  ask = function() return { writes = { notes = { Graph.interrupt("send it?") } }, next = "late" } end,
  bad = function() error("out of luck") end,
  late = function() return {} end,
} }`;

describe.skipIf(!hasBrowser)('a run of a graph on the page', () => {
  const under = pageUnderTest();
  let worker: TestWorker;
  let executor: EngineExecutor<never, never>;
  beforeAll(async () => {
    worker = await startWorker(under.server, { taskQueue, activities: { graphs: [refunds] } });
    executor = new EngineExecutor(refunds, new TactusClient(under.server.client, { taskQueue })) as never;
    await executor.invoke({ order: 'A-7' } as never, {} as never, { threadId: 'refund-A-7' });
    await under.server.tactus.start(procedureSource(source), {}, { runId: 'lua-graph' });
  });
  afterAll(async () => worker?.stop());

  const steps = (): Locator => under.ann.page.locator('section[aria-label=Super-steps]');
  const titles = (): Promise<string[]> => steps().locator('.step-line > .log-name > bdi').allTextContents();
  const drawn = (state: string): Promise<string[]> =>
    under.ann.page.locator(`.node.graph_node.${state} .node-label`).allTextContents();

  it('has its super-steps, the newest last, with what each node wrote and what waits', async () => {
    const { page } = under.ann;
    await under.ann.open('/runs/refund-A-7');
    await expect
      .poll(titles, patience)
      .toEqual([
        'super-step 0: input',
        'super-step 1: begin',
        'super-step 2: paid, policy',
        'super-step 3: write',
        'super-step 4: approve',
      ]);
    const [second, last] = [steps().locator('.log > li').nth(2), steps().locator('.log > li').nth(4)];
    expect(await last.innerText()).toMatch(/waiting[\s\S]*approve[\s\S]*waits: refund it\?/);
    expect(await second.innerText()).toContain('2 ledger events');
    expect(await second.innerText()).not.toContain('wrote');
    await second.locator('summary').first().click();
    await second.getByText('wrote facts, cents').first().click();
    await second.getByText('A-7 was paid with 4,000 cents').waitFor();
    if (pictures !== null) {
      await second.scrollIntoViewIfNeeded();
      await page.setViewportSize({ width: 1280, height: 720 });
      await steps().screenshot({ path: join(pictures, 'page-super-steps.png') });
    }
  });

  it('marks in the drawing where it is', async () => {
    await under.ann.open('/runs/lua-graph');
    await expect.poll(() => drawn('now'), patience).toEqual(['ask']);
    expect(await drawn('failed')).toEqual(['bad']);
    expect((await drawn('done')).sort()).toEqual(['only', 'plan']);
    expect(await drawn('ahead')).toEqual(['late']);
  });

  it('has super-steps of a graph that a node has called inside of that step, and says what failed', async () => {
    await expect
      .poll(titles, patience)
      .toEqual(['super-step 0: input', 'super-step 1: plan', 'super-step 2: ask, bad']);
    const all = steps().locator('> .log > li');
    await all.nth(1).locator('summary').first().click();
    await expect
      .poll(() => all.nth(1).locator('.log .step-line').allInnerTexts(), patience)
      .toEqual([
        expect.stringMatching(/^super-step 0: input\s*inner/),
        expect.stringMatching(/^super-step 1: only\s*inner/),
      ]);
    await all.nth(1).getByText('wrote notes').click();
    await all.nth(1).getByText('<b>begun</b>').waitFor();
    expect(await all.nth(2).innerText()).toMatch(/bad\s*failed\s*\S*main\.tac:8: out of luck/);
    await all.nth(2).getByRole('link', { name: 'send it?' }).click();
    await under.ann.page.waitForURL(/\/requests\/lua-graph%2F/);
  });

  it('is accessible and fits, in light and dark, on a screen and on a phone', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        const viewport = { width, height: 900 };
        const person = await sitDown(under.browser, () => under.api.url, 'ann', { colorScheme, viewport });
        for (const run of ['refund-A-7', 'lua-graph']) {
          await person.open(`/runs/${run}`);
          const lines = person.page.locator('.step-line');
          await expect.poll(() => lines.count(), patience).toBeGreaterThan(2);
          for (const line of (await lines.all()).slice(0, -1)) await line.click();
          await person.page.locator('.graph').first().waitFor();
          await expectAccessible(person.page);
          await expectNoSideScroll(person.page);
        }
        expect(person.troubles).toEqual([]);
        await person.close();
      }
  });

  it('follows it to its end, and says what became of what it sends', async () => {
    await under.ann.open('/runs/refund-A-7');
    await expect.poll(titles, patience).toHaveLength(5);
    await executor.resume(true, {} as never, { threadId: 'refund-A-7', idempotencyKey: 'yes' });
    await expect.poll(titles, patience).toContain('super-step 5: refund');
    const fourth = steps().locator('.log > li').nth(4);
    await expect
      .poll(() => fourth.innerText(), patience)
      .toMatch(/sends\s*send_mail\s*failed[\s\S]*no receiver/);
    await expect.poll(() => drawn('now'), patience).toEqual([]);
  });
});
