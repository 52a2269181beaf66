import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessOf, hashOfToken } from '../../src/server/access/access-of.js';
import { readServerSettings } from '../../src/server/settings.schema.js';
import { hasBrowser } from '../support/browser.js';
import { pageUnderTest } from '../support/page-under-test.js';
import { procedureSource } from '../support/procedure-source.js';
import { expectAccessible, expectNoSideScroll, servePage, sitDown } from '../support/served-page.js';

/** `SCREENSHOTS=keep` puts what the tests saw into the documents. */
/** What comes by itself comes soon, in ms: on a busy machine not at once. */
const patience = { timeout: 60_000 };
const pictures = process.env['SCREENSHOTS'] === 'keep' ? resolve('docs/images') : null;

const shownPictures = [
  'page-inbox-light',
  'page-request-light',
  'page-request-dark-phone',
  'page-review-dark',
  'page-run',
];

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
  const under = pageUnderTest();

  /** Those that the documents show. */
  async function keepPicture(page: Page, name: string): Promise<void> {
    if (pictures === null || !shownPictures.includes(name)) return;
    await page.screenshot({ fullPage: true, path: join(pictures, `${name}.png`) });
  }

  it('has an approval answered by keyboard alone, and by no single key', async () => {
    const { page } = under.ann;
    await under.ask('keys', 'return Human.approve { message = "By keyboard?" }');
    await under.ann.open('/?q=by+KEYBOARD');
    await page.getByRole('link', { name: 'By keyboard?' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.keyboard.press('a');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Approve');
    expect((await under.api.get('/namespaces/default/requests/keys%2F0')).body['state']).toBe('open');
    await page.keyboard.press('Enter');
    await under.accepted(under.ann);
    expect(await under.answerOf('keys')).toBe(true);
  });

  it('tells the second of two people who was first, and keeps what was typed', async () => {
    const bob = await sitDown(under.browser, () => under.api.url, 'bob');
    await under.ask('race', 'return Human.approve { message = "Who is first?" }');
    await Promise.all([under.ann.open('/requests/race%2F0'), bob.open('/requests/race%2F0')]);
    await bob.page.getByLabel('Comment (optional)').fill('I was about to say no');
    await under.ann.page.getByRole('button', { name: 'Approve' }).click();
    await under.accepted(under.ann);
    await bob.page.getByText('The request was closed while you had it open.').waitFor();
    expect(await bob.page.locator('.card', { hasText: 'Outcome' }).innerText()).toMatch(/ann\s+approved/);
    expect(await bob.page.getByLabel('Comment (optional)').inputValue()).toBe('I was about to say no');
    expect(await bob.page.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true);

    // Who decides before the news has come is told so by the verdict.
    await under.ask('late', 'return Human.approve { message = "And now?" }');
    await bob.page.route('**/events', (route) => route.abort());
    await bob.open('/requests/late%2F0');
    await bob.page.getByRole('button', { name: 'Reject' }).waitFor();
    await under.api.post('/namespaces/default/requests/late%2F0/decide', { value: true, by: 'ann' });
    await bob.page.getByRole('button', { name: 'Reject' }).click();
    const told = bob.page.locator('.notice', { hasText: 'Too late' });
    await told.getByText('approved').waitFor();
    expect(await told.innerText()).toContain('ann');
    expect(bob.troubles).toEqual([]);
    await bob.close();
  });

  it('comes again when the server does, and shows what it has missed', async () => {
    const { page } = under.ann;
    await under.ann.open('/?q=after+it+was+gone');
    await page.getByText('Live', { exact: true }).waitFor();
    const { port } = under.api;
    await under.api.close();
    await page.getByText('Reconnecting …').waitFor();
    under.api = await servePage(under.server.tactus, under.folder, { streams: under.streams, port });
    await under.ask('after-it', 'return Human.approve { message = "Asked after it was gone" }');
    await page.getByRole('link', { name: 'Asked after it was gone' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await under.server.tactus.attach('after-it').terminate();
    await page.getByText('No matches').waitFor();
  });

  it('shows hostile text, obeys none of it, and does not freeze', async () => {
    const { page } = under.ann;
    const evil = '<img src=x onerror="document.title=1"><script>alert(1)</script>[x](javascript:alert(1))';
    const marks = '\\u{202E}txt.exe\\u{200B}\\27[31mred\\27[0m\\0';
    await under.ask(
      'evil',
      `local evil = '${evil}' .. "${marks}"
       return Human.review { message = evil, label = evil, placeholder = evil, artifact = ("A" .. evil):rep(8000), artifact_type = evil,
         options = { evil, "no" }, context = { [evil] = evil }, action_key = evil, ui_schema = { a = evil }, approvers = { evil, "ann" }, requester = evil .. "2" }`,
    );
    await under.ann.open('/?q=javascript');
    await page.locator('.row').getByText('U+202E').first().waitFor();
    await under.ann.open('/requests/evil%2F0');
    await page
      .getByRole('button', { name: /^Show all/ })
      .first()
      .waitFor();
    const shown = await page.locator('main').innerText();
    for (const each of ['<script>alert(1)</script>', 'U+202E', 'U+001B', 'U+200B', 'U+0000'])
      expect(shown).toContain(each);
    // eslint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u202e\u001b\u200b\u0000]/);
    expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
    await page
      .getByRole('button', { name: /^Show all/ })
      .first()
      .click();
    await page.getByLabel('no', { exact: true }).check();
    await page.getByRole('button', { name: 'Send' }).click();
    await under.accepted(under.ann);
    expect(await page.title()).not.toBe('1');
    expect((await under.answerOf('evil')) as object).toMatchObject({ decision: 'no' });
  });

  it('follows a run live, to its end', async () => {
    const { page } = under.ann;
    await under.server.tactus.start(paymentSource, { supplier: 'Nordwind' }, { runId: 'invoice-4711' });
    await under.ann.open('/runs/invoice-4711');
    await page.getByText('waiting for human').waitFor();
    const say = (text: string) =>
      under.streams.publish({
        ...{ run_id: 'invoice-4711', position: '0', agent: 'clerk', attempt: 1, at: '2026-01-01T00:00:00Z' },
        ...{ type: 'text', text },
      });
    say('The invoice matches ');
    await page.getByText('The invoice matches').waitFor();
    say('the order of 12 November.');
    await page.getByText('The invoice matches the order of 12 November.').waitFor();
    await page.locator('.node.now').waitFor();
    await expect.poll(() => page.locator('.node.now').textContent(), patience).toContain('Human.approve');
    await expect.poll(() => page.locator('.log-line').count(), patience).toBe(1);
    await keepPicture(page, 'page-run');
    for (const by of ['ann', 'bob'])
      await under.api.post('/namespaces/default/requests/invoice-4711%2F1/decide', { value: true, by });
    await page.getByText('completed', { exact: true }).waitFor();
    await expect
      .poll(() => page.locator('[aria-label=Output]').innerText(), patience)
      .toMatch(/total\s*1280/);
    await expect.poll(() => page.locator('.log-line').count(), patience).toBe(3);
    await page.locator('.log-line').nth(1).click();
    await page.locator('.log-more').getByText('ann, bob').first().waitFor();
  });

  it('shows the newest pass of a run that began again, live, and the passes before when they are wanted', async () => {
    const { page } = under.ann;
    const body = `
      state.n = (state.n or 0) + 1
      checkpoint(function() return state.n end)
      Human.input("Word " .. state.n .. "?")
      if state.n < 4 then Procedure.continue_as_new() end`;
    const positions = (): Promise<string[]> => page.locator('.log-line > .mono').allTextContents();
    await under.ask('passes', body);
    const decide = async (position: number): Promise<void> => {
      const run = under.server.tactus.attach('passes');
      await expect.poll(async () => (await run.pending())[0]?.id, patience).toBe(`passes/${position}`);
      await run.decide({ request: `passes/${position}`, value: 'go' });
    };
    await decide(1);
    await decide(4);
    await under.ann.open('/runs/passes');
    await expect.poll(positions, patience).toEqual(['6']);
    await decide(7);
    await expect.poll(positions, patience).toEqual(['6', '7', '9']);
    await page.getByRole('button', { name: 'Show earlier checkpoints' }).click();
    await expect.poll(positions, patience).toEqual(['3', '4', '6', '7', '9']);
    await page.getByRole('button', { name: 'Show earlier checkpoints' }).click();
    await expect.poll(positions, patience).toEqual(['0', '1', '3', '4', '6', '7', '9']);
    expect(await page.getByRole('button', { name: 'Show earlier checkpoints' }).count()).toBe(0);
    await decide(10);
    await page.getByText('completed', { exact: true }).waitFor();
    await expect.poll(positions, patience).toEqual(['0', '1', '3', '4', '6', '7', '9', '10']);
    await expectAccessible(page);
  });

  it('shows how a run failed, and cancels one when it is said twice', async () => {
    const { page } = under.ann;
    const source = procedureSource(
      'Procedure { function()\n  local order = nil\n  return order.total\nend }',
    );
    await under.server.tactus.start(source, {}, { runId: 'broken' });
    await under.ann.open('/runs/broken');
    expect(await page.locator('[aria-label=Error]').innerText()).toContain('main.tac:3');
    await under.ask('to-cancel', 'return Human.approve { message = "?" }');
    await under.ann.open('/runs/to-cancel');
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('button', { name: 'Yes, cancel it' }).click();
    await page.locator('h1').getByText('cancelled').waitFor();
  });

  it('asks for a token, and keeps what was typed when the session is over', async () => {
    const hash = `sha256:${hashOfToken('the-token-of-eve-on-the-page').toString('hex')}`;
    const settings = readServerSettings({ tokens: [{ name: 'eve', hash }] });
    const guarded = (port: number) =>
      servePage(under.server.tactus, under.folder, {
        port,
        access: accessOf(settings, { env: {}, served: ['default'], isEmbedded: false }),
      });
    let own = await guarded(0);
    const eve = await sitDown(under.browser, () => own.url, '');
    const { page } = eve;
    await under.ask('signed-in', 'return Human.input { message = "Your plan?" }');
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
    await under.accepted(eve);
    expect(await under.answerOf('signed-in')).toBe('sleep more');
    await eve.close();
    await own.close();
  });

  it('is accessible, in light and dark, on a screen and on a phone', async () => {
    await under.server.tactus.start(paymentSource, { supplier: 'Nordwind' }, { runId: 'invoice-4712' });
    await under.ask(
      'release-7',
      'return Human.review { message = "Are these notes right?", artifact = "# 7.0\\n\\n- starts faster\\n- speaks Welsh", artifact_type = "markdown" }',
      'release',
    );
    await under.ask(
      'survey',
      'return Human.select { message = "Which regions come first?", mode = "multiple", options = {"Europe", "Asia", "America"}, timeout = "50m" }',
      'rollout',
    );
    await under.ask(
      'disk',
      'Human.escalate { message = "The disk of the archive is nearly full", severity = "critical" }',
      'backup',
    );
    await under.api.post('/namespaces/default/requests/invoice-4712%2F1/decide', {
      value: true,
      by: 'bob',
      comment: 'Checked the IBAN.',
    });
    const places = [
      '/',
      '/requests/invoice-4712%2F1',
      '/requests/release-7%2F0',
      '/runs',
      '/runs/invoice-4712',
      '/requests/race%2F0',
    ];
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        const person = await sitDown(under.browser, () => under.api.url, 'ann', {
          colorScheme,
          viewport: { width, height: 900 },
        });
        for (const [i, place] of places.entries()) {
          await person.open(place);
          await person.page.locator('.row, .card').first().waitFor();
          await person.page.locator('.loading').waitFor({ state: 'detached' });
          await expectAccessible(person.page);
          await expectNoSideScroll(person.page);
          const name =
            ['page-inbox', 'page-request', 'page-review', 'page-runs', 'page-run-waiting', 'page-closed'][
              i
            ] ?? '';
          await keepPicture(person.page, `${name}-${colorScheme}${width === 360 ? '-phone' : ''}`);
        }
        expect(person.troubles).toEqual([]);
        await person.close();
      }
  });
});
