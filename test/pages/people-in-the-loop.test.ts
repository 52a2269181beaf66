import type { Client } from '@temporalio/client';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signDecision } from '../../src/authority/signed-decisions.js';
import { TactusClient } from '../../src/client/tactus-client.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import type { Channel } from '../../src/contract/people/channels/channel.js';
import type { JsonValue } from '../../src/contract/json/json.js';
import type { RunSettings } from '../../src/contract/runs/run-settings.js';
import type { ApiServer } from '../support/api-server.js';
import { hasBrowser } from '../support/browser.js';
import { linkKeys } from '../support/link-keys.js';
import { mailText } from '../support/mail-text.js';
import { pageUnderTest } from '../support/page-under-test.js';
import { expectAccessible, expectNoSideScroll, servePage, sitDown } from '../support/served-page.js';
import { startSmtp, type SmtpStandIn } from '../support/smtp-stand-in.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

const { key, keys, links } = linkKeys();
const namespace = 'default';
const taskQueue = 'with-mail';
type Long = NonNullable<
  Parameters<Client['workflowService']['resetWorkflowExecution']>[0]['workflowTaskFinishEventId']
>;

describe.skipIf(!hasBrowser)('people before the page', () => {
  const under = pageUnderTest();
  let smtp: SmtpStandIn;
  /** With keys, a mail server and files. */
  let worker: TestWorker;
  let own: ApiServer;
  beforeAll(async () => {
    smtp = await startSmtp();
    own = await servePage(under.server.tactus, under.folder, { links });
    const mail: Channel = {
      email: {
        ...{ host: '127.0.0.1', port: smtp.port, tls: 'none', from: 'tactus@example.com' },
        to: { ann: 'ann@example.com', bob: 'bob@example.com' },
      },
      links: true,
    };
    worker = await startWorker(under.server, {
      taskQueue,
      activities: {
        ...{ authorityKeys: keys, channels: { mail }, publicUrl: own.url, filesRoot: under.folder },
        links: { key, validMs: 3_600_000 },
      },
    });
  });
  afterAll(async () => {
    await worker?.stop();
    await own?.close();
    await smtp?.close();
  });

  /** Starts a run of this body where that worker is. */
  async function start(runId: string, body: string, settings: RunSettings = {}): Promise<TactusRun> {
    const source = { entry: 'pay.tac', files: { 'pay.tac': `Procedure { function()\n${body}\nend }` } };
    const tactus = new TactusClient(under.server.client, { taskQueue });
    return tactus.start(source, {}, { runId, settings });
  }

  describe('who comes by the link of a mail', () => {
    /** Starts a run that asks, and gives what stands in the next mail: where its link leads. */
    async function mailed(run: string, body: string, count = 1): Promise<string[]> {
      const before = smtp.mails.length;
      await start(run, body, { signedDecisions: true, channels: ['mail'] });
      const mails = (await smtp.taken(before + count)).slice(before);
      return mails.map(({ text }) => /\/link#[\w.-]+/.exec(mailText(text))?.[0] ?? '');
    }

    it('answers in a browser that knows nobody, once, and is told when it is too late', async () => {
      const [link = ''] = await mailed(
        'by-link',
        `local evil = '<img src=x onerror="document.title=1">'
         local paid = Human.approve { message = "Pay 500? " .. evil, approvers = { "ann" }, context = { tool = "bank.transfer", arguments = { amount = 500 } } }
         return { paid = paid }`,
      );
      const stranger = await sitDown(under.browser, () => own.url, '');
      const { page } = stranger;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await stranger.open(link);
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      expect(await page.locator('.host').innerText()).toContain('signed: names are proven');
      expect(await page.locator('.said').innerText()).toContain('<img src=x');
      expect(await page.locator('.host').innerText()).not.toContain('<img');
      await page.getByText('You answer as ann').waitFor();
      // It leads nowhere else, and shows nothing that needs somebody to be signed in.
      expect(await page.locator('main a').count()).toBe(0);
      await expectAccessible(page);
      await expectNoSideScroll(page);
      await page.getByLabel('Comment (optional)').fill('from the phone');
      await page.getByRole('button', { name: 'Approve' }).click();
      await under.accepted(stranger);
      await page.getByText('The request is closed.').waitFor();
      expect(await under.answerOf('by-link')).toEqual({ paid: true });
      expect((await under.server.tactus.attach('by-link').log()).execution_log[0]).toMatchObject({
        result: { by: 'ann', comment: 'from the phone', by_verified: true },
      });
      // The address that a server's log has is without the token, that of each question as well.
      expect(asked.filter((url) => url.split('#')[0]?.includes(link.slice('/link#'.length)))).toEqual([]);
      expect(await page.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true);
      await page.reload();
      await page.getByRole('heading', { name: 'This link can’t be answered any more' }).waitFor();
      expect(await page.locator('.card', { hasText: 'Outcome' }).innerText()).toMatch(/ann\s+approved/);
      await expectAccessible(page);
      await stranger.open('/link#cut.off');
      await page.getByText('The link is not valid').waitFor();
      await stranger.open('/link');
      await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
      expect(await page.title()).not.toBe('1');
      expect(stranger.troubles).toEqual([]);
      await stranger.close();
    });

    it('hears that it was handed on, while they were at it, and that others must agree', async () => {
      const [link = ''] = await mailed(
        'on-the-way',
        'return Human.approve { message = "Deploy?", approvers = { "ann" } }',
      );
      const stranger = await sitDown(under.browser, () => own.url, '', {
        viewport: { width: 360, height: 800 },
      });
      const { page } = stranger;
      await stranger.open(link);
      await page.getByLabel('Comment (optional)').fill('I think so');
      const run = under.server.tactus.attach('on-the-way');
      const [request] = await run.pending();
      const decision = { request: request?.id ?? '', digest: request?.digest ?? '', by: 'ann' };
      await run.decide(
        signDecision({ ...decision, value: null, action: 'delegate', to: 'bob' }, { namespace, key }),
      );
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('You are not allowed to decide this.').waitFor();
      await page.getByText('You are no longer allowed to answer this.').waitFor();
      expect(await page.getByLabel('Comment (optional)').inputValue()).toBe('I think so');
      expect(await run.pending()).toMatchObject([{ approvers: ['bob'] }]);
      await expectNoSideScroll(page);
      await run.terminate();

      const [first = '', second = ''] = await mailed(
        'two-agree',
        'return Human.select { message = "Where?", options = { "Asia", "Europe" }, approvers = { "ann", "bob" }, quorum = 2 }',
        2,
      );
      for (const [each, told] of [
        [first, 'You already answered.'],
        [second, 'The request is closed.'],
      ] as const) {
        await stranger.open(each);
        await page.getByLabel('Europe').check();
        await page.getByRole('button', { name: 'Send' }).click();
        await under.accepted(stranger);
        await page.getByText(told).waitFor();
      }
      expect(await under.answerOf('two-agree')).toBe('Europe');
      expect(stranger.troubles).toEqual([]);
      await stranger.close();
    });
  });

  async function requestOf(run: string): Promise<JsonValue> {
    return (await under.api.get(`/namespaces/default/requests/${run}%2F0`)).body;
  }

  it('hand a request to somebody else, who then answers it', async () => {
    const { page } = under.ann;
    await under.ask('handed', 'return Human.approve { message = "Sign it?", approvers = { "ann" } }');
    await under.ann.open('/requests/handed%2F0');
    await page.getByText('Delegate or withdraw').first().click();
    await page.getByLabel('Why (optional)').fill('on holiday');
    await page.getByLabel('New approver').fill('bob');
    await page.getByRole('button', { name: 'Delegate', exact: true }).click();
    await page.getByText('Done.').waitFor();
    await page.getByText('You are not an approver of this request.').waitFor();
    const people = page.locator('.card', { hasText: 'Delegated' });
    expect(await people.innerText()).toMatch(/ann to bob[^]*on holiday/);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('You are not allowed to decide this.').waitFor();
    expect(await requestOf('handed')).toMatchObject({ state: 'open', request: { approvers: ['bob'] } });
    const bob = await sitDown(under.browser, () => under.api.url, 'bob');
    await bob.open('/requests/handed%2F0');
    await bob.page.getByRole('button', { name: 'Approve' }).click();
    await under.accepted(bob);
    expect(await under.answerOf('handed')).toBe(true);
    await bob.close();
  });

  it('take a request back, when they have said so twice', async () => {
    const { page } = under.ann;
    await under.ask(
      'taken-back',
      `local ok, problem = pcall(Human.approve, { message = "Buy it?" })
       return { ok = ok, problem = tostring(problem) }`,
    );
    await under.ann.open('/requests/taken-back%2F0');
    await page.getByText('Delegate or withdraw').first().click();
    await page.getByRole('button', { name: 'Withdraw the request' }).click();
    expect(await requestOf('taken-back')).toMatchObject({ state: 'open' });
    await page.getByRole('button', { name: 'Yes, take it back for everybody' }).click();
    await page.getByText('Done.').waitFor();
    await page.locator('.card', { hasText: 'Outcome' }).waitFor();
    expect(await page.locator('.card', { hasText: 'Outcome' }).innerText()).toMatch(/ann/);
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    expect(await under.answerOf('taken-back')).toMatchObject({ ok: false });
  });

  /** Has a run begin again, as whoever runs the server can. What it reads may be something else by now. */
  async function beginAgain(workflowId: string): Promise<void> {
    const { client } = under.server;
    await client.workflowService.resetWorkflowExecution({
      ...{ namespace, workflowExecution: { workflowId }, reason: 'a test', requestId: workflowId },
      // The first task of its workflow.
      workflowTaskFinishEventId: 4 as unknown as Long,
    });
  }

  it('have to look again at what has changed while it was open, and have decided nothing', async () => {
    const { page } = under.ann;
    const body = `return Human.approve { message = "Pay " .. File.read("sum.txt") .. "?" }`;
    const place = join(under.folder, 'sum.txt');
    for (const isTold of [true, false]) {
      const id = isTold ? 'changed-live' : 'changed-unseen';
      writeFileSync(place, '500');
      const run = await start(id, body);
      const request = `${id}/1`;
      await under.ann.open(`/requests/${encodeURIComponent(request)}`);
      await page.getByText('Pay 500?').waitFor();
      await page.getByLabel('Comment (optional)').fill('500 is right');
      if (!isTold) {
        // No news comes any more: only the decision tells.
        await page.route('**/events', (route) => route.abort());
        await page.reload();
        await page.getByLabel('Comment (optional)').fill('500 is right');
      }
      writeFileSync(place, '9000');
      await beginAgain(id);
      await waitUntil(async () => (await run.pending())[0]?.message === 'Pay 9000?');
      if (!isTold) {
        await page.getByRole('button', { name: 'Approve' }).click();
        await page.getByText('Nothing was decided').waitFor();
      }
      await page.getByText('The request changed while you had it open.').waitFor();
      expect(await page.locator('.said').innerText()).toContain('Pay 9000?');
      expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
      expect(await page.getByLabel('Comment (optional)').inputValue()).toBe('500 is right');
      expect(await run.pending()).toMatchObject([{ id: request, message: 'Pay 9000?' }]);
      await page.getByRole('button', { name: 'I have looked at it' }).click();
      await page.getByRole('button', { name: 'Reject' }).click();
      await under.accepted(under.ann);
      expect(await under.answerOf(id)).toBe(false);
      await page.unroute('**/events');
    }
  });

  it('are asked anew where what they decided on has changed, and see both', async () => {
    const { page } = under.ann;
    const place = join(under.folder, 'balance.txt');
    writeFileSync(place, '20412');
    const run = await start(
      'anew',
      `return Human.approve { message = "Pay?", preconditions = function() return { balance = File.read("balance.txt"), open = 1 } end }`,
    );
    const asked = async (before: string | null): Promise<string> => {
      const request = await waitUntil(
        async () => (await run.pending()).find(({ id }) => id !== before) ?? null,
      );
      return request.id;
    };
    const first = await asked(null);
    await under.ann.open(`/requests/${encodeURIComponent(first)}`);
    await page.getByText('20412').waitFor();
    writeFileSync(place, '12');
    await page.getByRole('button', { name: 'Approve' }).click();
    await under.accepted(under.ann);
    const second = await asked(first);
    await under.ann.open('/?q=Pay');
    await page.locator('.row a').first().click();
    await page.getByText('This changed after people answered. Please decide again.').waitFor();
    expect(page.url()).toContain(encodeURIComponent(second));
    expect(await page.locator('.diff-line.removed').allInnerTexts()).toEqual([
      expect.stringContaining('20412'),
    ]);
    expect(await page.locator('.diff-line.added').allInnerTexts()).toEqual([expect.stringContaining('"12"')]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reject' }).click();
    await under.accepted(under.ann);
    expect(await under.answerOf('anew')).toBe(false);
  });
});
