import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { waitUntil } from '../../support/wait-until.js';

const configuration = 'tool_modules: [tools/price.mjs]\nstorage: file:mirror-1\n';
const zod = join(resolve(import.meta.dirname, '../../..'), 'node_modules/zod/index.js');
const tool = (price: number): string => `
import { z } from ${JSON.stringify(zod)};
export const price = {
  name: 'price', description: 'a price', effect: 'pure',
  input: z.object({}),
  execute: () => ${price},
};`;
const shop = (asked: string): string => `
price = Tool { use = "host.price" }
Procedure { function()
  local before = price({})
  Human.approve{ message = "${asked}" }
  return { before = before, after = price({}) }
end }`;

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write('.tactus/config.yml', configuration);
  folder.write('tools/price.mjs', tool(1));
  folder.write('shop.tac', shop('Buy?'));
});
afterAll(() => folder.close());

/** `dev` in a process, with all that it has said. */
function dev(...args: string[]) {
  const child = folder.start(['dev', '--port', '0', ...args]);
  const ended = new Promise<number | null>((done) => child.on('close', done));
  let said = '';
  child.stdout?.on('data', (data: Buffer) => (said += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  const says = (text: string, times = 1): Promise<true> =>
    waitUntil(() => Promise.resolve(said.split(text).length > times), 60_000).catch(() => {
      throw new Error(`it did not say ${JSON.stringify(text)}, but:\n${said}`);
    });
  return { child, ended, says, said: () => said };
}

async function json(url: string, body?: object): Promise<JsonObject> {
  const init = {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  };
  return (await (await fetch(url, init)).json()) as JsonObject;
}

it('serves a folder, checks what changes, and begins anew with other tools, over which runs go on', async () => {
  const { child, ended, says, said } = dev();
  await says('http://127.0.0.1:');
  const [url = ''] = /http:\S+/.exec(said()) ?? [];
  const api = `${url}/api/v1/namespaces/default`;
  expect(await (await fetch(url)).text()).toContain('<script');
  await json(`${api}/runs`, { procedure: 'shop', run_id: 'first' });
  const pending = async (): Promise<string> => JSON.stringify(await json(`${api}/requests`));
  await waitUntil(async () => (await pending()).includes('first/'));

  folder.write('shop.tac', 'Procedure {');
  await says('shop.tac:1:');
  await says('shop.tac: not valid');
  folder.write('shop.tac', shop('Buy now?'));
  await says('shop.tac: valid', 2);

  folder.write('tools/price.mjs', tool(2));
  await says(`Again at ${url}`);
  await json(`${api}/runs`, { procedure: 'shop', run_id: 'second' });
  await waitUntil(async () => (await pending()).includes('Buy now?'));
  const ids = [...(await pending()).matchAll(/"id":"((?:first|second)\/[^"]*)"/g)].map(([, id = '']) => id);
  expect(ids).toHaveLength(2);
  for (const id of ids) expect((await folder.runHere(['respond', id, 'y', '--json'])).code).toBe(0);
  const outputOf = async (run: string): Promise<unknown> =>
    (await folder.runHere(['result', run, '--json'])).json()['output'];
  expect(await outputOf('first')).toEqual({ before: 1, after: 2 });
  expect(await outputOf('second')).toEqual({ before: 2, after: 2 });

  folder.write('.tactus/config.yml', 'tool_modules: 7\n');
  await says('Nothing is served');
  expect(said()).toContain('tool_modules');
  await expect(fetch(url)).rejects.toThrow();
  folder.write('.tactus/config.yml', configuration.replace('mirror-1', 'mirror-2'));
  await says(`Again at ${url}`, 2);
  expect(await json(`${api}/runs/first`)).toMatchObject({ status: 'completed' });

  await json(`${api}/runs`, { procedure: 'shop', run_id: 'third' });
  await waitUntil(() => Promise.resolve(existsSync(join(folder.path, 'mirror-2', 'third.json'))));
  expect(existsSync(join(folder.path, 'mirror-1', 'first.json'))).toBe(true);

  child.kill('SIGINT');
  expect(await ended).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

it('takes no server elsewhere, and says at once what it can’t begin with', async () => {
  const elsewhere = await folder.runHere(['dev', '--address', 'localhost:1', '--json']);
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.json()).toMatchObject({ error: { code: 'usage' } });
  folder.write('.tactus/config.yml', 'tool_modules: [gone.mjs]\n');
  const broken = await folder.runHere(['dev', '--port', '0', '--json']);
  expect(broken.code).toBe(2);
  expect(broken.json()).toMatchObject({ error: { code: 'config_invalid' } });
});

it('leaves nothing behind when it is killed', async () => {
  folder.write('.tactus/config.yml', configuration);
  const { child, ended, says, said } = dev();
  await says('http://127.0.0.1:');
  const [url = ''] = /http:\S+/.exec(said()) ?? [];
  child.kill('SIGKILL');
  await ended;
  await waitUntil(() =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  );
});
