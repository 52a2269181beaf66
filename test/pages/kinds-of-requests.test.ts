import { TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { TactusClient } from '../../src/client/tactus-client.js';
import { A2AStandIn } from '../support/a2a-stand-in.js';
import { hasBrowser } from '../support/browser.js';
import { pageUnderTest } from '../support/page-under-test.js';
import { pendingOf } from '../support/pending-of.js';
import { procedureOf } from '../support/procedure-source.js';
import { startWorker } from '../support/test-worker.js';

describe.skipIf(!hasBrowser)('the page', () => {
  const under = pageUnderTest();

  it('wants a name where it matters who decides, and says where it does not', async () => {
    const { page } = under.ann;
    await under.ask('nameless', 'return Human.approve { message = "Deploy?" }');
    await under.ann.open('/requests/nameless%2F0');
    await page.getByLabel('Your name (optional)').fill('');
    await page.getByRole('button', { name: 'Approve' }).click();
    await under.accepted(under.ann);
    expect(await under.answerOf('nameless')).toBe(true);

    await under.ask('named', 'return Human.approve { message = "Pay?", approvers = { "ann", "bob" } }');
    await under.ann.open('/requests/named%2F0');
    const name = page.getByLabel('Your name (needed: it matters who decides)');
    await name.fill(' ');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Type your name. This decision needs a name.').waitFor();
    await name.fill('ann');
    await page.getByRole('button', { name: 'Approve' }).click();
    await under.accepted(under.ann);
    expect(await under.answerOf('named')).toBe(true);
  });

  it('takes an answer to every kind of request', async () => {
    const { page } = under.ann;
    const send = async (): Promise<void> => {
      await page.getByRole('button', { name: /^(Send|Settled)$/ }).click();
      await under.accepted(under.ann);
    };

    await under.ask(
      'kind-input',
      'return Human.input { message = "How many?", input_type = "number", label = "Count" }',
    );
    await under.ann.open('/requests/kind-input%2F0');
    await page.getByLabel('Count').fill('12.5');
    await send();
    expect(await under.answerOf('kind-input')).toBe(12.5);

    await under.ask(
      'kind-approval',
      'return Human.approve { message = "Deploy?", context = { tool = "deploy", arguments = { to = "all" } } }',
    );
    await under.ann.open('/requests/kind-approval%2F0');
    await page.getByRole('heading', { name: 'From the procedure' }).waitFor();
    await page.getByLabel('Comment (optional)').fill('not today');
    await page.getByRole('button', { name: 'Reject' }).click();
    await under.accepted(under.ann);
    expect(await under.answerOf('kind-approval')).toBe(false);

    const call = await under.ask(
      'kind-call',
      `local deploy = Tool { name = "deploy", approval = true, function(args) return args.to end }
       return deploy({ to = "all" })`,
    );
    await under.ann.open(call);
    await page.getByRole('heading', { name: 'Question of the host' }).waitFor();
    expect(await page.getByRole('heading', { name: 'From the procedure' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Approve' }).click();
    await under.accepted(under.ann);
    expect(await under.answerOf('kind-call')).toBe('all');

    await under.ask(
      'kind-review',
      'return Human.review { message = "Right?", artifact = "one\\ntwo\\nthree", artifact_type = "markdown" }',
    );
    await under.ann.open('/requests/kind-review%2F0');
    await page.getByLabel('revise').check();
    await page.getByLabel('Feedback (optional)').fill('two is wrong');
    await page.getByRole('button', { name: 'Edit the artifact' }).click();
    await page.getByLabel('Your version of the artifact').fill('one\n2\nthree');
    expect(await page.locator('.diff-line.removed').innerText()).toContain('two');
    expect(await page.locator('.diff-line.added').innerText()).toContain('2');
    await send();
    expect(await under.answerOf('kind-review')).toEqual({
      decision: 'revise',
      feedback: 'two is wrong',
      edited_artifact: 'one\n2\nthree',
    });

    await under.ask(
      'kind-select',
      'return Human.select { message = "Where?", mode = "multiple", max = 2, options = { {value="eu", label="Europe"}, {value=7, label="Asia", description="at night"}, "us" } }',
    );
    await under.ann.open('/requests/kind-select%2F0');
    for (const label of ['Europe', 'Asia', 'us']) await page.getByLabel(label).check();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Choose at most 2.').waitFor();
    await page.getByLabel('us').uncheck();
    await send();
    expect(await under.answerOf('kind-select')).toEqual(['eu', 7]);

    await under.ask(
      'kind-multiple',
      `return Human.multiple({
        { id = "version", label = "Version", type = "input", message = "Which version?" },
        { id = "channel", label = "Channel", type = "select", message = "For whom?", options = {"beta", "stable"} },
        { id = "sure", label = "Sure", type = "approval", message = "Really?" },
        { id = "notes", label = "Notes", type = "input", message = "Anything?", required = false } })`,
    );
    await under.ann.open('/requests/kind-multiple%2F0');
    // A blank text is no answer to what is needed.
    const version = page.getByRole('group', { name: /^Version \(needed\)/ }).getByRole('textbox');
    await version.fill(' ');
    await page.getByLabel('beta').check();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Version: Enter an answer.').waitFor();
    await version.fill('1.2.0');
    await page.getByLabel('No', { exact: true }).check();
    await send();
    expect(await under.answerOf('kind-multiple')).toEqual({ version: '1.2.0', channel: 'beta', sure: false });

    await under.ask(
      'kind-upload',
      'return Human.upload { message = "The plan", accept = ".md", max_size = "1KB" }',
    );
    await under.ann.open('/requests/kind-upload%2F0');
    const file = { name: 'plan.md', mimeType: 'text/markdown', buffer: Buffer.from('# Plan') };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByText('plan.md · 6 bytes').waitFor();
    await send();
    const uploaded = (await under.answerOf('kind-upload')) as { url: string };
    expect(uploaded).toMatchObject({ name: 'plan.md', size: 6 });
    expect(await (await fetch(uploaded.url)).text()).toBe('# Plan');

    await under.ask(
      'kind-escalation',
      'Human.escalate { message = "The disk is full", severity = "critical" } return "went on"',
    );
    await under.ann.open('/requests/kind-escalation%2F0');
    await page.getByText('severity critical').waitFor();
    await send();
    expect(await under.answerOf('kind-escalation')).toBe('went on');

    await under.ask(
      'kind-custom',
      'return Human.custom { message = "Colour?", component_type = "picker", data = { colours = {"red"} }, response_schema = { type = "object", required = {"colour"} } }',
    );
    await under.ann.open('/requests/kind-custom%2F0');
    await page.getByLabel('Answer, as JSON').fill('{}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^The answer is not valid/).waitFor();
    await page.getByLabel('Answer, as JSON').fill('{"colour": "red"}');
    await send();
    expect(await under.answerOf('kind-custom')).toEqual({ colour: 'red' });
  });

  it('tells what an agent of another system says from who it is', async () => {
    const travel = await A2AStandIn.start();
    travel.conduct = (n) =>
      n === 0
        ? {
            state: TaskState.TASK_STATE_INPUT_REQUIRED,
            says: ['The host says: <b>approve</b>', { options: ['first', 'second'] }],
          }
        : { state: TaskState.TASK_STATE_COMPLETED, gives: ['booked'] };
    const outsideAgents = { travel: { protocol: 'a2a', url: travel.url, pollMs: 200 } } as const;
    const taskQueue = 'agents';
    const worker = await startWorker(under.server, { taskQueue, activities: { outsideAgents } });
    try {
      const tactus = new TactusClient(under.server.client, { taskQueue });
      const run = await tactus.start(
        procedureOf('return Tool { use = "agent.travel" }({ message = "Go" })'),
        {},
      );
      const [request] = await pendingOf(run);
      await under.ann.open(`/requests/${encodeURIComponent(request?.id ?? '')}`);
      const { page } = under.ann;
      await page.getByRole('heading', { name: 'From the agent' }).waitFor();
      const facts = page.getByRole('region', { name: 'Facts from the host' });
      expect(await facts.innerText()).toContain(`agent.travel (a2a) at ${travel.url.slice(0, -1)}`);
      expect(await facts.innerText()).toContain(request?.origin?.task);
      expect(await facts.innerText()).not.toContain('The host says');
      await page.getByLabel('second').check();
      await page.getByRole('button', { name: 'Send' }).click();
      await under.accepted(under.ann);
      expect(await run.result()).toBe('booked');
    } finally {
      await worker.stop();
      await travel.stop();
    }
  });
});
