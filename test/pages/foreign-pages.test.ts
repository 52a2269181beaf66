import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../support/cli-folder.js';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { listeningPorts, type ListeningPort } from '../support/listening-ports.js';

/** What a page sends to have a run started: its own source, which would run with the worker's keys and files. */
const start = JSON.stringify({
  workflowType: { name: 'tactus' },
  taskQueue: { name: 'tactus' },
  input: {
    payloads: [
      {
        metadata: { encoding: base64('json/plain') },
        data: base64(
          JSON.stringify({
            source: { entry: 'x.tac', files: { 'x.tac': 'function main() return File.list(".") end' } },
            input: {},
          }),
        ),
      },
    ],
  },
});

/** A name of a site elsewhere, which its owner has come to lead to this machine. */
const rebound = 'pages.example';

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Pages of the web that a person of this machine has open, beside the embedded server. */
describe.skipIf(!hasBrowser || process.platform !== 'linux')('a page of another site', () => {
  let folder: CliFolder;
  let site: Server;
  let browser: Browser;
  let page: Page;
  let server: Record<string, unknown>;
  let ports: ListeningPort[];

  beforeAll(async () => {
    folder = cliFolder();
    await folder.run(['server', 'start']);
    server = (await folder.run(['server', 'status', '--json'])).json();
    ports = [...listeningPorts(Number(server['pid'])), ...listeningPorts(Number(server['keeper_pid']))];
    site = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<!doctype html>'));
    await new Promise<void>((up) => site.listen(0, '127.0.0.1', up));
    browser = await openBrowser([
      `--host-resolver-rules=MAP ${rebound} 127.0.0.1`,
      // Newer browsers ask the person before a page may reach this machine: nobody must depend on the answer.
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
    ]);
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
    await folder?.close();
  });

  async function runs(): Promise<unknown> {
    return (await folder.run(['list', '--json'])).json()['runs'];
  }

  /** What the Web UI has its own pages send with whatever changes something: a page that passes for one of them can read it. */
  async function token(url: string): Promise<string> {
    return (await page.context().cookies(url)).find(({ name }) => name === '_csrf')?.value ?? '';
  }

  it('starts no run at any port, by requests that a browser sends without asking', async () => {
    expect(ports.length).toBeGreaterThan(5);
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    for (const { ip, port } of ports) {
      const path = `http://${ip}:${port}/api/v1/namespaces/default/workflows/sent-${port}`;
      await page.evaluate(
        ([url = '', body = '']) =>
          fetch(url, { method: 'POST', mode: 'no-cors', body, headers: { 'content-type': 'text/plain' } })
            .then(() => null)
            .catch(() => null),
        [path, start],
      );
    }
    expect(await runs()).toEqual([]);
  });

  it('whose name leads to this machine reads and starts nothing, at any port', async () => {
    for (const { port } of ports) {
      const root = `http://${rebound}:${port}`;
      await page.goto(`${root}/`).catch(() => null);
      if (!page.url().startsWith(root)) continue; // nobody listens there, or no HTTP is spoken
      const answers = await page.evaluate(
        async ([at = '', body = '', cookie = '']) => {
          const headers = { 'content-type': 'application/json', 'x-csrf-token': cookie };
          const read = await fetch(`${at}/api/v1/namespaces/default`).catch(() => null);
          const sent = await fetch(`${at}/api/v1/namespaces/default/workflows/rebound`, {
            method: 'POST',
            body,
            headers,
          }).catch(() => null);
          return [read?.status ?? 0, sent?.status ?? 0];
        },
        [root, start, await token(root)],
      );
      for (const status of answers) expect([0, 403, 404, 405], `port ${port}`).toContain(status);
    }
    expect(await runs()).toEqual([]);
  });

  it('is told nothing by the Web UI, which a person opens at its own address', async () => {
    const ui = String(server['ui']);
    const { port } = new URL(ui);
    expect(await statusOf(port, { host: `${rebound}:${port}` })).toBe(403);
    expect(await statusOf(port, { host: `127.0.0.1.${rebound}` })).toBe(403);
    expect(await statusOf(port, { host: `127.0.0.1:${port}`, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf(port, { host: `localhost:${port}` })).toBe(200);
    const foreign = { host: `127.0.0.1:${port}`, origin: 'null' };
    expect(await statusOf(port, foreign, 'POST')).toBe(403);
    // A link to it may be followed from anywhere.
    const followed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await statusOf(port, { host: `127.0.0.1:${port}`, ...followed })).toBe(200);
    expect(await statusOf(port, { host: `127.0.0.1:${port}`, ...followed }, 'POST')).toBe(403);
  });

  it('keeps the Web UI what it is: it shows runs, and what it sends itself is passed on', async () => {
    folder.write('wait.tac', 'function main() Sleep("1h") return 1 end');
    await folder.run(['start', 'wait.tac', '--id', 'shown', '--task-queue', 'nobody']);
    const ui = String(server['ui']);
    await page.goto(`${ui}/namespaces/default/workflows`);
    await page.getByRole('link', { name: 'shown' }).first().waitFor();
    const status = await page.evaluate(
      async (cookie) => {
        const answer = await fetch('/api/v1/namespaces/default/workflows/shown/terminate', {
          method: 'POST',
          body: JSON.stringify({ reason: 'from the Web UI' }),
          headers: { 'content-type': 'application/json', 'x-csrf-token': cookie },
        });
        return answer.status;
      },
      await token(ui),
    );
    expect(status).toBe(200);
    expect((await folder.run(['status', 'shown', '--json'])).json()).toMatchObject({ status: 'terminated' });
  });
});

function statusOf(port: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, method, path: '/api/v1/namespaces', headers },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
