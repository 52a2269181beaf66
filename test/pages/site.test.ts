import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { expectAccessible, expectNoSideScroll, sitDown, type Person } from '../support/served-page.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

const wideCodeIsReached = `[...document.querySelectorAll('.expressive-code pre')]
  .every((pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex === 0)`;

/** The site as `npm run docs` makes it, below a path as on a host that has others beside it. */
describe.skipIf(!hasBrowser)('the site', () => {
  const folder = join(temporaryFolder('site'), 'out');
  let serving: ChildProcess;
  let browser: Browser;
  let url: string;
  let said = '';
  beforeAll(async () => {
    const port = await freePort();
    const flags = ['--base', '/tactus/', '--out', folder, '--serve', '--port', String(port)];
    // Vite would take what vitest sets for its own: `DEV`, `MODE`, `BASE_URL`.
    const env = Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name]]));
    serving = spawn(process.execPath, [resolve('scripts/docs.mjs'), ...flags], { stdio: 'pipe', env });
    for (const stream of [serving.stdout, serving.stderr])
      stream?.on('data', (text: Buffer) => (said += text.toString()));
    url = `http://127.0.0.1:${port}/tactus`;
    await waitUntil(async () => {
      expect(serving.exitCode, said).toBeNull();
      return fetch(`${url}/`).then(
        ({ ok }) => ok,
        () => false,
      );
    }, 290_000);
    browser = await openBrowser();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    serving?.kill();
  });

  const visit = (options = {}): Promise<Person> => sitDown(browser, () => url, 'ann', options);

  it('begins with the playground: a run is killed there, and continues without a network', async () => {
    const ann = await visit();
    const { page, troubles } = ann;
    const bytes: { url: string; size: number }[] = [];
    page.on('response', (response) => {
      void response.body().then(
        (body) => bytes.push({ url: response.url(), size: body.length }),
        () => undefined,
      );
    });
    await ann.open('/');
    const frame = page.frameLocator('iframe.playground');
    const button = (name: string) => frame.getByRole('button', { name, exact: true });
    const status = (text: string) => frame.locator('.status', { hasText: text }).waitFor();
    const calls = () => frame.locator('[data-model-calls]').textContent();
    await frame.locator('.cm-content').waitFor();
    await page.context().setOffline(true);
    await button('Run').click();
    await status('waiting');
    await button('Kill').click();
    await status('killed');
    await button('Resume').click();
    await button('Approve').click();
    await status('completed');
    expect(await calls()).toBe('1');
    expect(troubles).toEqual([]);
    const later = /\/try\/(?:code-editor|engine|chunk)-/;
    const first = bytes.filter((each) => !later.test(each.url));
    expect(bytes.length - first.length).toBeGreaterThan(0);
    expect(first.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(300_000);
    await ann.close();
  });

  it('finds a page by its words, and gives it as Markdown', async () => {
    const ann = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, troubles } = ann;
    await ann.open('/start/');
    await page.waitForLoadState('networkidle');
    await page.getByRole('button', { name: 'Search' }).click();
    const search = page.getByRole('dialog', { name: 'Search' });
    await search.getByRole('textbox').fill('quorum');
    await search.getByRole('link', { name: 'Requests to people' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Requests to people' }).waitFor();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(readFileSync(join(folder, 'people.md'), 'utf8'));
    expect(copied).toContain('](/tactus/');
    expect(troubles).toEqual([]);
    await ann.close();
  });

  it.each(['/', '/start/', '/guide/05-people/', '/commands/', '/errors/usage/', '/architecture/', '/http/'])(
    '%s works without a mouse and on a phone',
    async (path) => {
      const ann = await visit();
      await ann.open(path);
      // A script lets the keyboard reach code that is wider than its place.
      await ann.page.waitForLoadState('networkidle');
      await waitUntil(() => ann.page.evaluate<boolean>(wideCodeIsReached));
      await expectAccessible(ann.page);
      await ann.page.setViewportSize({ width: 390, height: 844 });
      await expectNoSideScroll(ann.page);
      await ann.close();
    },
  );

  it('tells models of each page, by the address of its Markdown', () => {
    const list = readFileSync(join(folder, 'llms.txt'), 'utf8');
    expect(list).toMatch(/^# tactus-temporal\n\n> Tactus procedures are short Lua programs/);
    const addresses = [...list.matchAll(/\]\(\/tactus\/([^)]+\.md)\)/g)].map(([, path = '']) => path);
    expect(addresses.length).toBeGreaterThan(230);
    expect(addresses.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it('has the commands and the routes as the program has them', () => {
    const page = readFileSync(join(folder, 'commands.md'), 'utf8');
    expect(page).toContain('### serve token');
    expect(page).toContain('| `--from-run <run>` |');
    const { paths } = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')) as { paths: object };
    expect(Object.keys(paths)).toContain('/api/v1/namespaces/{namespace}/runs/{run}');
    expect(said).toContain('All internal links are valid');
  });
});
