import { join, resolve } from 'node:path';
import { expect, describe, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { hasBrowser } from '../support/browser.js';
import { pageUnderTest } from '../support/page-under-test.js';
import { pendingOf } from '../support/pending-of.js';
import { expectAccessible, expectNoSideScroll } from '../support/served-page.js';

/** `SCREENSHOTS=keep` puts what the test saw into the documents. */
const pictures = process.env['SCREENSHOTS'] === 'keep' ? resolve('docs/images') : null;

const mock = { all: true, agents: {}, results: {}, people: null };

describe.skipIf(!hasBrowser)('the page shows the examples:', () => {
  const under = pageUnderTest();

  /** The upper part of what Ann sees, for the documents. */
  async function keep(name: string, height: number): Promise<void> {
    if (pictures === null) return;
    const clip = { x: 0, y: 0, width: 1280, height };
    await under.ann.page.screenshot({ fullPage: true, clip, path: join(pictures, `${name}.png`) });
  }

  it('takes any JSON as the answer of a graph', async () => {
    const { page } = under.ann;
    const source = await collectSource(resolve('examples/support-graph'), 'support.tac');
    const input = { messages: ['A-7 is broken, I want a refund'], context: { customer: 'c-7' } };
    const run = await under.server.tactus.start(source, input, { runId: 'customer-7', mock });
    const [request] = await pendingOf(run);
    await under.ann.open(`/requests/${encodeURIComponent(request?.id ?? '')}`);
    await page.getByLabel('Answer, as JSON').fill('{"amount": 40}');
    await keep('page-graph-interrupt', 700);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await under.accepted(under.ann);
    expect(await run.result()).toMatchObject({ refunded: 40 });
  });

  it('shows each step of the plan, as far as it is', async () => {
    const { page } = under.ann;
    const plan = page.getByRole('region', { name: 'Plan' });
    const steps = () => plan.getByRole('listitem').allTextContents();
    await under.ask(
      'guide',
      `Plan.setup { objective = "Publish the guide", initial_steps = { "Draft", "Review" } }
      Plan.update { step_id = 1, status = "in_progress" }
      return Human.approve { message = "Go on?" }`,
    );
    await under.ann.open('/runs/guide');
    await plan.waitFor();
    expect(await plan.textContent()).toContain('Publish the guide active');
    expect(await steps()).toEqual(['Draft in progress', 'Review pending']);

    const source = await collectSource(resolve('examples/durable-loop'), 'research.tac');
    const run = await under.server.tactus.start(source, {}, { runId: 'research-1', mock });
    await pendingOf(run);
    await under.ann.open('/runs/research-1');
    await plan.getByText('completed').waitFor();
    expect(await steps()).toEqual([
      'Read the notes on PostgreSQL done',
      'Read the notes on SQLite done',
      'Compare both done',
    ]);
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await keep('page-durable-loop', 1210);
  });
});
