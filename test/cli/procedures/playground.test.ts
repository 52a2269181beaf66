import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { waitUntil } from '../../support/wait-until.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
});
afterAll(() => folder.close());

it('serves the page with headers that keep others out, until it is interrupted, and starts no server', async () => {
  const child = folder.start(['playground', '--port', '0', '--json']);
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  let out = '';
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()));
  await waitUntil(() => Promise.resolve(out.endsWith('\n')));
  const { url } = JSON.parse(out) as { url: string };
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  const page = await fetch(url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await page.text();
  const [, script = ''] = /src="(\.\/playground-[\w-]+\.js)"/.exec(html) ?? [];
  const loaded = await fetch(new URL(script, url));
  expect(loaded.headers.get('content-type')).toContain('javascript');
  const worker = await (await fetch(new URL('service-worker.js', url))).text();
  for (const [, file = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) expect(worker).toContain(`"${file}"`);
  expect((await fetch(new URL('nothing', url))).status).toBe(404);
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(0);
  expect(existsSync(join(folder.path, '.tactus-temporal'))).toBe(false);
});

it('says what is wrong with its port', async () => {
  const odd = await folder.runHere(['playground', '--port', 'many', '--json']);
  expect([odd.code, odd.stdout]).toEqual([2, expect.stringContaining('--port takes a number')]);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const taken = await folder.runHere(['playground', '--port', String(port), '--json']);
  expect([taken.code, taken.stdout]).toEqual([2, expect.stringContaining('something else listens there')]);
  other.close();
});
