import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let shop: ProviderStandIn;
const sent = (): string[] => shop.requests.map(({ method, path }) => `${method} ${path}`);

beforeAll(async () => {
  shop = await startProviderStandIn();
  shop.reply(({ path }) => ({ json: { path } }));
  folder = cliFolder();
  const body = (last: string): string => `Procedure { function()
  local price = http_client.get("${shop.url}/price").json.path
  local paid = http_client.post("${shop.url}/charge").json.path
  ${last}
end }`;
  folder.write('order.tac', body('return { price = price, ok = Human.approve("Go?") }'));
  folder.write('other.tac', body('return { price = price, ok = Human.approve("Really?"), more = true }'));
});
afterAll(async () => {
  await folder.close();
  await shop.close();
});

const run = (...args: string[]) => folder.runHere([...args, '--json']);

it('goes back under the same id, open and ended, with the plan first', async () => {
  const started = await run('start', 'order.tac', '--id', 'order');
  expect(started.code, started.stderr).toBe(0);
  expect((await run('resume', 'order')).json()).toMatchObject({ status: 'waiting_for_human' });
  const planned = await run('rewind', 'order', '--at', '0', '--dry-run');
  expect(planned.json()).toMatchObject({
    ...{ run_id: 'order', from: 'order', at: '0', left_behind: [] },
    plan: {
      kept: 0,
      again: [
        { position: '0', repeats: false },
        { position: '1', effect: 'once', repeats: true },
        { position: '2', effect: 'human' },
      ],
      requests: [{ id: 'order/2', becomes: 'asked_anew' }],
    },
  });
  expect((await run('rewind', 'order', '--at', '0')).json()).toMatchObject({
    error: { code: 'change_refused', message: expect.stringContaining('POST') as unknown },
  });
  expect(sent()).toEqual(['GET /price', 'POST /charge']);
  const back = await run('rewind', 'order', '--at', '1', '--yes');
  expect(back.code, back.stderr).toBe(0);
  expect(back.json()).toMatchObject({ run_id: 'order', at: '1', plan: { kept: 1 } });
  expect((await run('resume', 'order')).json()).toMatchObject({ status: 'waiting_for_human' });
  expect(sent()).toEqual(['GET /price', 'POST /charge', 'POST /charge']);
  const approved = await run('respond', 'order/2', 'true');
  expect(approved.code, approved.stderr).toBe(0);
  expect((await run('resume', 'order')).json()).toMatchObject({ output: { ok: true } });
  const ended = await run('rewind', 'order', '--at', '2', '--source', 'other.tac');
  expect(ended.code, ended.stderr).toBe(0);
  await run('resume', 'order');
  await run('respond', 'order/2', 'true');
  expect((await run('resume', 'order')).json()).toMatchObject({ output: { ok: true, more: true } });
  expect((await run('status', 'order')).json()).toMatchObject({
    changes: [
      { kind: 'rewind', position: '1', repeats: ['1'] },
      { kind: 'rewind', position: '2' },
    ],
  });
  expect(sent()).toHaveLength(3);
});

it('says what is wrong with what was asked for', async () => {
  const failures = [
    [['rewind', 'order'], 'needs --at'],
    [['rewind', 'order', '--at', '9'], 'has no checkpoint 9'],
    [['rewind', 'nothing', '--at', '0'], 'nothing'],
    [['rewind', 'order', '--at', '1', '--set', '{'], "The checkpoint 1 can't come to"],
    [['fork', 'order', '--at', '1', '--set', '{'], "The checkpoint 1 can't come to"],
  ] as const;
  for (const [args, text] of failures) {
    const { code, json } = await run(...args);
    expect(code, text).not.toBe(0);
    expect(json()).toMatchObject({ error: { message: expect.stringContaining(text) as unknown } });
  }
});
