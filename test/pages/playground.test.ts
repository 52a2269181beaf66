import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkOf } from '../../src/playground/procedures/share-link.js';
import { servePlayground, type PlaygroundServer } from '../../src/server/procedures/playground-server.js';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { waitUntil } from '../support/wait-until.js';
import { expectAccessible, expectNoSideScroll, sitDown, type Person } from '../support/served-page.js';

describe.skipIf(!hasBrowser)('the playground', () => {
  let browser: Browser;
  let server: PlaygroundServer;
  beforeAll(async () => {
    server = await servePlayground(resolve('dist/playground'), '127.0.0.1', 0);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const visit = (options = {}): Promise<Person> =>
    sitDown(browser, () => server.url.replace(/\/$/, ''), 'ann', options);
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const answer = (page: Page) => page.getByRole('textbox', { name: 'Answer', exact: true });
  const status = (page: Page, text: string) => page.locator('.status', { hasText: text }).waitFor();
  const calls = (page: Page) => page.locator('[data-model-calls]').textContent();
  /** All of the page is in the browser, and the page is led by its service worker. */
  const isKept = (page: Page) =>
    waitUntil(() => page.evaluate<boolean>('navigator.serviceWorker.controller !== null'));

  async function edit(page: Page, change: (text: string) => string): Promise<void> {
    const editor = page.locator('.cm-content');
    const text = await editor.innerText();
    await editor.fill(change(text));
  }

  it('runs, is killed, and continues without another call of the model, all without a network', async () => {
    const ann = await visit();
    const { page, troubles } = ann;
    await ann.open('/');
    await page.locator('.cm-content').waitFor();
    await isKept(page);
    await page.context().setOffline(true);
    await page.reload();
    await page.locator('.cm-content').waitFor();

    await button(page, 'Run').click();
    await status(page, 'waiting');
    expect(await calls(page)).toBe('1');
    expect(await page.getByLabel('Drawing of').locator('[aria-current=step]').first().innerText()).toContain(
      'Human.approve',
    );
    await button(page, 'Kill').click();
    await status(page, 'killed');
    await page.reload();
    await status(page, 'killed');
    expect(await page.locator('.log tbody tr').count()).toBeGreaterThan(0);

    await button(page, 'Resume').click();
    await status(page, 'waiting');
    expect(await page.locator('.from-log').count()).toBeGreaterThan(0);
    await button(page, 'Approve').click();
    await status(page, 'completed');
    expect(await calls(page)).toBe('1');
    expect(await page.getByLabel('Output').innerText()).toContain('"liked": true');
    expect(troubles).toEqual([]);
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await ann.close();
  });

  it('forks from a position, and continues with an edited file that fits', async () => {
    const ann = await visit();
    const { page, troubles } = ann;
    await ann.open('/');
    await page.getByLabel('Example').selectOption('choice');
    await button(page, 'Run').click();
    await button(page, 'blog').click();
    await answer(page).fill('Tea');
    await button(page, 'Send').click();
    await status(page, 'completed');

    await button(page, 'Fork from 1').click();
    await status(page, 'waiting');
    expect(await page.getByText('Forked from').innerText()).toContain('at 1');
    await edit(page, (text) => text.replace('title = title }', 'title = string.upper(title) }'));
    await button(page, 'Try it against the log').click();
    await page.getByRole('status').filter({ hasText: 'fits' }).waitFor();
    await button(page, 'Continue this run with it').click();
    await answer(page).fill('Coffee');
    await button(page, 'Send').click();
    await status(page, 'completed');
    expect(await page.getByLabel('Output').innerText()).toContain('"COFFEE"');

    await edit(page, (text) => text.replace('Where do we publish?', 'Where then?'));
    await button(page, 'Try it against the log').click();
    await page.getByRole('status').filter({ hasText: 'diverges' }).waitFor();
    expect(troubles).toEqual([]);
    await ann.close();
  });

  it('completes what is typed, by the declarations of the language', async () => {
    const ann = await visit();
    const { page, troubles } = ann;
    await ann.open('/');
    await page.locator('.cm-content').click();
    await button(page, 'Run').waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('local x = Human.app');
    const offered = page.locator('.cm-tooltip-autocomplete');
    await offered.waitFor();
    expect(await offered.innerText()).toContain('approve');
    await page.keyboard.press('Enter');
    expect(await page.locator('.cm-content').innerText()).toContain('local x = Human.approve');
    expect(troubles).toEqual([]);
    await ann.close();
  });

  it('shows problems where they are, and text of a shared link as text', async () => {
    const hostile = '<img src=x onerror="globalThis.hacked = 1">';
    const text = `Procedure { function()\n  print('${hostile}')\n  return Human.approve('${hostile}') and countr\nend }`;
    const ann = await visit({ viewport: { width: 390, height: 800 } });
    const { page, troubles } = ann;
    await ann.open(`/${linkOf({ text, input: '{', script: '' })}`);
    const problems = page.getByRole('list', { name: 'Problems' });
    await problems.waitFor();
    expect(await problems.innerText()).toMatch(/3:\d+ error .*countr/);
    await button(page, 'Run').click();
    expect(await page.getByRole('alert').innerText()).toContain('The input is no JSON');
    await page.getByLabel('Input, as JSON').fill('{}');
    await button(page, 'Run').click();
    await status(page, 'waiting');
    expect(await page.getByLabel('Request 0').innerText()).toContain(hostile);
    expect(await page.getByLabel('Printed').innerText()).toContain(hostile);
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
    expect(troubles).toEqual([]);
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await ann.close();
  });

  it('takes what is kept in the browser as what it is: something that is no record begins anew', async () => {
    const ann = await visit();
    const { page, troubles } = ann;
    await page.context().addInitScript(() => {
      globalThis.localStorage.setItem('tactus-playground-run', '{"runId": 1, "log": "x"}');
      globalThis.localStorage.setItem('tactus-playground-draft', '[]');
    });
    await ann.open('/');
    await page.getByLabel('How it works').waitFor();
    await button(page, 'Run').click();
    await status(page, 'waiting');
    expect(troubles).toEqual([]);
    await ann.close();
  });
});
