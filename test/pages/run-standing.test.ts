import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.js';
import { pageUnderTest } from '../support/page-under-test.js';
import { pendingOf } from '../support/pending-of.js';
import { procedureOf } from '../support/procedure-source.js';
import { expectAccessible } from '../support/served-page.js';

describe.skipIf(!hasBrowser)('the page of a run', () => {
  const under = pageUnderTest();

  it('shows until when a cancelled run has time, and what is left to do', async () => {
    const { page } = under.ann;
    const body = `
      defer("close the books", function() end)
      defer("call the bank", function() Human.input { message = "called?" } end)
      return Human.approve { message = "?" }`;
    await under.ask('cancelling', body);
    await under.ann.open('/runs/cancelling');
    await page.locator('h1').getByText('waiting for human').waitFor();
    expect(await page.getByText('left:').count()).toBe(0);
    await under.server.tactus.attach('cancelling').cancel();
    await page.locator('h1').getByText('cancelling').waitFor();
    const { cancelling } = await under.server.tactus.attach('cancelling').status();
    const times = `cancelling since ${cancelling?.since}, until ${cancelling?.until} at the latest`;
    await page.getByText(`${times}; left: call the bank, close the books`, { exact: true }).waitFor();
    const [asked] = await pendingOf(under.server.tactus.attach('cancelling'));
    await under.server.tactus.attach('cancelling').decide({ request: asked?.id ?? '', value: 'yes' });
    await page.locator('h1').getByText('cancelled').waitFor();
    expect(await page.getByText('left:').count()).toBe(0);
  });

  it('shows what it was forked from, and leads there', async () => {
    const { page } = under.ann;
    await under.ask('whole', 'return Human.approve { message = "Go?" }');
    await under.server.tactus.attach('whole').decide({ request: 'whole/0', value: true });
    await under.server.tactus.attach('whole').result();
    await under.server.tactus.fork('whole', { at: '0', runId: 'part' });
    await under.ann.open('/runs/part');
    const facts = page.getByRole('region', { name: 'Facts from the host' });
    const fork = facts.locator('div', { has: page.getByText('Forked from', { exact: true }) });
    expect(await fork.innerText()).toMatch(/^Forked from\s+whole at 0$/);
    await fork.getByRole('link', { name: 'whole' }).click();
    await page.locator('h1').getByText('completed').waitFor();
    expect(new URL(page.url()).pathname).toBe('/runs/whole');
    expect(await page.getByText('Forked from').count()).toBe(0);
  });

  it('shows the labels of a run and the version that it began with, as the list does', async () => {
    const { page } = under.ann;
    const source = procedureOf('return Human.approve { message = "Go?" }');
    const labels = { team: 'crm', note: '<b>a</b>' };
    const published = { name: 'review', version: 3, share: 10 };
    const run = await under.server.tactus.start(source, {}, { runId: 'marked', labels, published });
    await pendingOf(run);
    await under.ann.open('/runs/marked');
    const facts = page.getByRole('region', { name: 'Facts from the host' });
    const fact = (name: string) => facts.locator('div', { has: page.getByText(name, { exact: true }) });
    expect(await fact('Version').innerText()).toMatch(/^Version\s+review@3 \(10 %\)$/);
    expect(await fact('Labels').locator('.badge').allInnerTexts()).toEqual(['note=<b>a</b>', 'team=crm']);
    await under.ann.open('/runs?q=marked');
    const row = page.locator('.row', { hasText: 'marked' });
    await expect.poll(() => row.locator('.row-facts').innerText()).toContain('review@3');
    expect(await row.locator('.row-facts .badge').allInnerTexts()).toEqual(['note=<b>a</b>', 'team=crm']);
    await expectAccessible(page);
  });
});
