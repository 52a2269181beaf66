import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json.js';
import { hashOfToken } from '../../src/server/access/api-tokens.js';
import { accessOf } from '../../src/server/access/access-of.js';
import { readServerSettings } from '../../src/server/settings.schema.js';
import { MemoryStreams } from '../../src/streams/memory-streams.js';
import type { ApiServer } from '../support/api-server.js';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { procedureSource } from '../support/procedure-source.js';
import { expectAccessible, expectNoSideScroll, servePage, sitDown, type Person } from '../support/served-page.js';
import { serverWithWorker } from '../support/server-with-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';

/** `SCREENSHOTS=keep` puts what the tests saw into the documents. */
const pictures = process.env['SCREENSHOTS'] === 'keep' ? resolve('docs/images') : null;

const shownPictures = ['page-inbox-light', 'page-request-light', 'page-request-dark-phone', 'page-review-dark', 'page-run'];

const payment = `
Procedure {
  input = { supplier = field.string{ required = true } },
  function(input)
  state.supplier = input.supplier
  print("checks the invoice of " .. input.supplier)
  local checked = checkpoint(function() return { total = 1280, due = "2026-12-01" } end)
  local paid = Human.approve {
    message = "Pay 1,280 EUR to " .. input.supplier .. "?",
    context = {
      tool = "bank.transfer",
      arguments = { amount = 1280, currency = "EUR", iban = "DE02 1203 0000 0000 2020 51", purpose = "Invoice 4711" },
      reason = "The invoice matches the order. The supplier has been paid twice before.",
    },
    approvers = { "ann", "bob", "cleo" },
    quorum = 2,
    requester = "zoe",
    timeout = "2d",
    escalate_to = { { to = "dora", timeout = "1d" } },
    preconditions = { balance = 20412, open_invoices = 1 },
  }
  if not paid then error("nobody paid") end
  Sleep(1)
  return { paid = paid, total = checked.total }
  end,
}`;

const paymentSource = { entry: 'pay-invoice.tac', files: { 'pay-invoice.tac': payment } };

describe.skipIf(!hasBrowser)('the page', () => {
  const server = serverWithWorker(startDevServer);
  let folder: string;
  let streams: MemoryStreams;
  let api: ApiServer;
  let browser: Browser;
  let ann: Person;

  beforeAll(async () => {
    folder = temporaryFolder('page');
    streams = new MemoryStreams();
    [api, browser] = await Promise.all([servePage(server.tactus, folder, { streams }), openBrowser()]);
    ann = await sitDown(browser, () => api.url, 'ann');
  });
  afterAll(async () => {
    expect(ann.troubles).toEqual([]);
    await browser?.close();
    await api?.close();
  });

  /** Starts a run of this body, and waits until it asks. */
  async function ask(run: string, body: string, name = run): Promise<void> {
    const source = { entry: `${name}.tac`, files: { [`${name}.tac`]: `Procedure { function()\n${body}\nend }` } };
    await server.tactus.start(source, {}, { runId: run });
    await waitUntil(
      async () => (await api.get(`/namespaces/default/requests/${run}%2F0`)).body['state'] === 'open',
    );
  }

  async function answerOf(run: string): Promise<JsonValue> {
    return server.tactus.attach(run).result();
  }

  /** Those that the documents show. */
  async function keepPicture(page: Page, name: string): Promise<void> {
    if (pictures === null || !shownPictures.includes(name)) return;
    await page.screenshot({ fullPage: true, path: join(pictures, `${name}.png`) });
  }

  const accepted = (person: Person) => person.page.getByText(/^Your decision counts\./).waitFor();

  it('takes an answer to every kind of request', async () => {
    const { page } = ann;
    const send = async (): Promise<void> => {
      await page.getByRole('button', { name: /^(Send|It is settled)$/ }).click();
      await accepted(ann);
    };

    await ask('kind-input', 'return Human.input { message = "How many?", input_type = "number", label = "Count" }');
    await ann.open('/requests/kind-input%2F0');
    await page.getByLabel('Count').fill('12.5');
    await send();
    expect(await answerOf('kind-input')).toBe(12.5);

    await ask('kind-approval', 'return Human.approve { message = "Deploy?" }');
    await ann.open('/requests/kind-approval%2F0');
    await page.getByLabel('Comment (optional)').fill('not today');
    await page.getByRole('button', { name: 'Reject' }).click();
    await accepted(ann);
    expect(await answerOf('kind-approval')).toBe(false);

    await ask('kind-review', 'return Human.review { message = "Right?", artifact = "one\\ntwo\\nthree", artifact_type = "markdown" }');
    await ann.open('/requests/kind-review%2F0');
    await page.getByLabel('revise').check();
    await page.getByLabel('Feedback (optional)').fill('two is wrong');
    await page.getByRole('button', { name: 'Edit the artifact' }).click();
    await page.getByLabel('Your version of the artifact').fill('one\n2\nthree');
    expect(await page.locator('.diff-line.removed').innerText()).toContain('two');
    expect(await page.locator('.diff-line.added').innerText()).toContain('2');
    await send();
    expect(await answerOf('kind-review')).toEqual({
      decision: 'revise',
      feedback: 'two is wrong',
      edited_artifact: 'one\n2\nthree',
    });

    await ask(
      'kind-select',
      'return Human.select { message = "Where?", mode = "multiple", max = 2, options = { {value="eu", label="Europe"}, {value=7, label="Asia", description="at night"}, "us" } }',
    );
    await ann.open('/requests/kind-select%2F0');
    for (const label of ['Europe', 'Asia', 'us']) await page.getByLabel(label).check();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Choose at most 2.').waitFor();
    await page.getByLabel('us').uncheck();
    await send();
    expect(await answerOf('kind-select')).toEqual(['eu', 7]);

    await ask(
      'kind-multiple',
      `return Human.multiple({
        { id = "version", label = "Version", type = "input", message = "Which version?" },
        { id = "channel", label = "Channel", type = "select", message = "For whom?", options = {"beta", "stable"} },
        { id = "sure", label = "Sure", type = "approval", message = "Really?" },
        { id = "notes", label = "Notes", type = "input", message = "Anything?", required = false } })`,
    );
    await ann.open('/requests/kind-multiple%2F0');
    await page.getByRole('group', { name: /^Version/ }).getByRole('textbox').fill('1.2.0');
    await page.getByLabel('beta').check();
    await page.getByLabel('No', { exact: true }).check();
    await send();
    expect(await answerOf('kind-multiple')).toEqual({ version: '1.2.0', channel: 'beta', sure: false });

    await ask('kind-upload', 'return Human.upload { message = "The plan", accept = ".md", max_size = "1KB" }');
    await ann.open('/requests/kind-upload%2F0');
    const file = { name: 'plan.md', mimeType: 'text/markdown', buffer: Buffer.from('# Plan') };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByText('plan.md · 6 bytes').waitFor();
    await send();
    const uploaded = (await answerOf('kind-upload')) as { url: string };
    expect(uploaded).toMatchObject({ name: 'plan.md', size: 6 });
    expect(await (await fetch(uploaded.url)).text()).toBe('# Plan');

    await ask('kind-escalation', 'Human.escalate { message = "The disk is full", severity = "critical" } return "went on"');
    await ann.open('/requests/kind-escalation%2F0');
    await page.getByText('severity critical').waitFor();
    await send();
    expect(await answerOf('kind-escalation')).toBe('went on');

    await ask(
      'kind-custom',
      'return Human.custom { message = "Colour?", component_type = "picker", data = { colours = {"red"} }, response_schema = { type = "object", required = {"colour"} } }',
    );
    await ann.open('/requests/kind-custom%2F0');
    await page.getByLabel('Answer, as JSON').fill('{}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^The answer does not fit/).waitFor();
    await page.getByLabel('Answer, as JSON').fill('{"colour": "red"}');
    await send();
    expect(await answerOf('kind-custom')).toEqual({ colour: 'red' });
  });

  it('has an approval answered by keyboard alone, and by no single key', async () => {
    const { page } = ann;
    await ask('keys', 'return Human.approve { message = "By keyboard?" }');
    await ann.open('/?q=keys');
    await page.getByRole('link', { name: 'By keyboard?' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.keyboard.press('a');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Approve');
    expect((await api.get('/namespaces/default/requests/keys%2F0')).body['state']).toBe('open');
    await page.keyboard.press('Enter');
    await accepted(ann);
    expect(await answerOf('keys')).toBe(true);
  });

  it('tells the second of two people who was first, and keeps what was typed', async () => {
    const bob = await sitDown(browser, () => api.url, 'bob');
    await ask('race', 'return Human.approve { message = "Who is first?" }');
    await Promise.all([ann.open('/requests/race%2F0'), bob.open('/requests/race%2F0')]);
    await bob.page.getByLabel('Comment (optional)').fill('I was about to say no');
    await ann.page.getByRole('button', { name: 'Approve' }).click();
    await accepted(ann);
    await bob.page.getByText('It was closed while it was open here.').waitFor();
    expect(await bob.page.locator('.card', { hasText: 'How it ended' }).innerText()).toMatch(/ann\s+approved/);
    expect(await bob.page.getByLabel('Comment (optional)').inputValue()).toBe('I was about to say no');
    expect(await bob.page.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true);

    // Who decides before the news has come is told so by the verdict.
    await ask('late', 'return Human.approve { message = "And now?" }');
    await bob.page.route('**/events', (route) => route.abort());
    await bob.open('/requests/late%2F0');
    await bob.page.getByRole('button', { name: 'Reject' }).waitFor();
    await api.post('/namespaces/default/requests/late%2F0/decide', { value: true, by: 'ann' });
    await bob.page.getByRole('button', { name: 'Reject' }).click();
    const told = bob.page.locator('.notice', { hasText: 'Too late' });
    await told.getByText('approved').waitFor();
    expect(await told.innerText()).toContain('ann');
    expect(bob.troubles).toEqual([]);
    await bob.close();
  });

  it('comes again when the server does, and shows what it has missed', async () => {
    const { page } = ann;
    await ann.open('/?q=after-');
    await page.getByText('Live', { exact: true }).waitFor();
    const { port } = api;
    await api.close();
    await page.getByText('Reconnecting …').waitFor();
    api = await servePage(server.tactus, folder, { streams, port });
    await ask('after-it', 'return Human.approve { message = "Asked after it was gone" }');
    await page.getByRole('link', { name: 'Asked after it was gone' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await server.tactus.attach('after-it').terminate();
    await page.getByText('Nothing matches').waitFor();
  });

  it('shows hostile text, obeys none of it, and does not freeze', async () => {
    const { page } = ann;
    const evil = '<img src=x onerror="document.title=1"><script>alert(1)</script>[x](javascript:alert(1))';
    const marks = '\\u{202E}txt.exe\\u{200B}\\27[31mred\\27[0m\\0';
    await ask(
      'evil',
      `local evil = '${evil}' .. "${marks}"
       return Human.review { message = evil, label = evil, placeholder = evil, artifact = ("A" .. evil):rep(8000), artifact_type = evil,
         options = { evil, "no" }, context = { [evil] = evil }, action_key = evil, ui_schema = { a = evil }, approvers = { evil, "ann" }, requester = evil .. "2" }`,
    );
    await ann.open('/?q=evil');
    await page.locator('.row').getByText('U+202E').first().waitFor();
    await ann.open('/requests/evil%2F0');
    await page.getByRole('button', { name: /^Show all/ }).first().waitFor();
    const shown = await page.locator('main').innerText();
    for (const each of ['<script>alert(1)</script>', 'U+202E', 'U+001B', 'U+200B', 'U+0000']) expect(shown).toContain(each);
    // eslint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u202e\u001b\u200b\u0000]/);
    expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
    await page.getByRole('button', { name: /^Show all/ }).first().click();
    await page.getByLabel('no', { exact: true }).check();
    await page.getByRole('button', { name: 'Send' }).click();
    await accepted(ann);
    expect(await page.title()).not.toBe('1');
    expect((await answerOf('evil')) as object).toMatchObject({ decision: 'no' });
  });

  it('follows a run live, to its end', async () => {
    const { page } = ann;
    await server.tactus.start(paymentSource, { supplier: 'Nordwind' }, { runId: 'invoice-4711' });
    await ann.open('/runs/invoice-4711');
    await page.getByText('waiting for human').waitFor();
    const say = (text: string) =>
      streams.publish({
        ...{ run_id: 'invoice-4711', position: '0', agent: 'clerk', attempt: 1, at: '2026-01-01T00:00:00Z' },
        ...{ type: 'text', text },
      });
    say('The invoice matches ');
    await page.getByText('The invoice matches').waitFor();
    say('the order of 12 November.');
    await page.getByText('The invoice matches the order of 12 November.').waitFor();
    await page.locator('.node.now').waitFor();
    expect(await page.locator('.node.now').textContent()).toContain('Human.approve');
    expect(await page.locator('.log-line').count()).toBe(1);
    await keepPicture(page, 'page-run');
    for (const by of ['ann', 'bob'])
      await api.post('/namespaces/default/requests/invoice-4711%2F1/decide', { value: true, by });
    await page.getByText('completed', { exact: true }).waitFor();
    expect(await page.locator('[aria-label=Output]').innerText()).toMatch(/total\s*1280/);
    expect(await page.locator('.log-line').count()).toBe(3);
    await page.locator('.log-line').nth(1).click();
    await page.locator('.log-more').getByText('ann, bob').first().waitFor();
  });

  it('shows how a run failed, and cancels one when it is said twice', async () => {
    const { page } = ann;
    const source = procedureSource('Procedure { function()\n  local order = nil\n  return order.total\nend }');
    await server.tactus.start(source, {}, { runId: 'broken' });
    await ann.open('/runs/broken');
    expect(await page.locator('[aria-label=Error]').innerText()).toContain('main.tac:3');
    await ask('to-cancel', 'return Human.approve { message = "?" }');
    await ann.open('/runs/to-cancel');
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('button', { name: 'Yes, cancel it' }).click();
    await page.locator('h1').getByText('cancelled').waitFor();
  });

  it('asks for a token, and keeps what was typed when the session is over', async () => {
    const hash = `sha256:${hashOfToken('the-token-of-eve-on-the-page').toString('hex')}`;
    const settings = readServerSettings({ tokens: [{ name: 'eve', hash }] });
    const guarded = (port: number) =>
      servePage(server.tactus, folder, {
        port,
        access: accessOf(settings, { env: {}, served: ['default'], isEmbedded: false }),
      });
    let own = await guarded(0);
    const eve = await sitDown(browser, () => own.url, '');
    const { page } = eve;
    await ask('signed-in', 'return Human.input { message = "Your plan?" }');
    await eve.open('/requests/signed-in%2F0');
    await page.getByLabel('Token').fill('wrong-token-of-nobody-at-all');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Token').fill('the-token-of-eve-on-the-page');
    await page.keyboard.press('Enter');
    await page.getByLabel('Answer').fill('sleep more');
    const { port } = own;
    await own.close();
    own = await guarded(port);
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await page.getByLabel('Token').fill('the-token-of-eve-on-the-page');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send' }).click();
    await accepted(eve);
    expect(await answerOf('signed-in')).toBe('sleep more');
    await eve.close();
    await own.close();
  });

  it('is accessible, in light and dark, on a screen and on a phone', async () => {
    await server.tactus.start(paymentSource, { supplier: 'Nordwind' }, { runId: 'invoice-4712' });
    await ask('release-7', 'return Human.review { message = "Are these notes right?", artifact = "# 7.0\\n\\n- starts faster\\n- speaks Welsh", artifact_type = "markdown" }', 'release');
    await ask('survey', 'return Human.select { message = "Which regions come first?", mode = "multiple", options = {"Europe", "Asia", "America"}, timeout = "50m" }', 'rollout');
    await ask('disk', 'Human.escalate { message = "The disk of the archive is nearly full", severity = "critical" }', 'backup');
    await api.post('/namespaces/default/requests/invoice-4712%2F1/decide', { value: true, by: 'bob', comment: 'Checked the IBAN.' });
    const places = ['/', '/requests/invoice-4712%2F1', '/requests/release-7%2F0', '/runs', '/runs/invoice-4712', '/requests/race%2F0'];
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        const person = await sitDown(browser, () => api.url, 'ann', { colorScheme, viewport: { width, height: 900 } });
        for (const [i, place] of places.entries()) {
          await person.open(place);
          await person.page.locator('.row, .card').first().waitFor();
          await person.page.locator('.loading').waitFor({ state: 'detached' });
          await expectAccessible(person.page);
          await expectNoSideScroll(person.page);
          const name = ['page-inbox', 'page-request', 'page-review', 'page-runs', 'page-run-waiting', 'page-closed'][i] ?? '';
          await keepPicture(person.page, `${name}-${colorScheme}${width === 360 ? '-phone' : ''}`);
        }
        expect(person.troubles).toEqual([]);
        await person.close();
      }
  });
});
