import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions, Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TactusClient } from '../../src/client/tactus-client.js';
import type { ServerOptions } from '../../src/server/server.js';
import { FilePayloadStore } from '../../src/worker/payloads/store/file-payload-store.js';
import { startApi, unindexed, type ApiServer } from './api-server.js';

/** The page as it was built. */
const pageFolder = resolve('dist/page');

/** The API with the page, and a folder for what is handed in. */
export function servePage(
  tactus: TactusClient,
  folder: string,
  options: Partial<ServerOptions> = {},
): Promise<ApiServer> {
  const files = new FilePayloadStore(join(folder, 'payloads'));
  return startApi(tactus, folder, {
    namespaces: [{ name: 'default', tactus, files, signingKey: null, ...unindexed }],
    pages: pageFolder,
    ...options,
  });
}

/** A person before the page: with a name, and a note of what the browser complains of. */
export interface Person {
  page: Page;
  troubles: string[];
  open(path: string): Promise<void>;
  close(): Promise<void>;
}

export async function sitDown(
  browser: Browser,
  url: () => string,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await context.addInitScript((who) => globalThis.localStorage.setItem('tactus-name', who), name);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    // Answers such as 409 are told in words on the page, and in the browser's log besides.
    if (message.type() === 'error' && !/status of \d{3}|ERR_|Failed to load/.test(message.text()))
      troubles.push(message.text());
  });
  return {
    page,
    troubles,
    open: async (path) => {
      await page.goto(`${url()}${path}`);
      await page.locator('h1').first().waitFor();
    },
    close: () => context.close(),
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Fails where axe finds what is serious or worse, by WCAG A and AA. */
export async function expectAccessible(page: Page): Promise<void> {
  // As a tool of the browser, not as a script of the page, whose policy would refuse it.
  await page.evaluate(axe);
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations)`,
  );
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(
    grave.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((n) => [n.target, n.failureSummary])]),
  ).toEqual([]);
}

/** Fails where the page is wider than its window. */
export async function expectNoSideScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  expect(content).toBeLessThanOrEqual(window);
}
