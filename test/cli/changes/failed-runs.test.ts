import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { waitUntil } from '../../support/wait-until.js';

let folder: CliFolder;
let shop: ProviderStandIn;
let isBroken = true;
const sent = (): string[] => shop.requests.map(({ method, path }) => `${method} ${path}`);
const run = (...args: string[]) => folder.runHere([...args, '--json']);
const listed = (code: number | null, json: unknown): object => ({ code, json });

beforeAll(async () => {
  shop = await startProviderStandIn();
  shop.reply(({ path }) => (isBroken && path !== '/price' ? { reset: true } : { json: { path } }));
  folder = cliFolder();
  const body = (last: string): string => `Procedure { function()
  local price = http_client.get("${shop.url}/price").json.path
  return { price = price, last = http_client.${last}.json.path }
end }`;
  folder.write('look.tac', body(`get("${shop.url}/stock")`));
  folder.write('pay.tac', body(`post("${shop.url}/charge")`));
});
afterAll(async () => {
  await folder.close();
  await shop.close();
});

/** Runs that fail, and are in the server's list as such. */
async function fail(...ids: [id: string, file: string][]): Promise<void> {
  isBroken = true;
  for (const [id, file] of ids) expect((await run('run', file, '--id', id)).code).toBe(1);
  isBroken = false;
  shop.requests.length = 0;
  await waitUntil(async () => {
    const { runs } = (await run('list', '--status', 'failed')).json() as { runs: { run_id: string }[] };
    return ids.every(([id]) => runs.some(({ run_id: found }) => found === id));
  });
}

describe('retry --failed', () => {
  it('tells each plan, tries those again that need no yes, and goes on with what is left', async () => {
    await fail(['one', 'look.tac'], ['two', 'look.tac'], ['paid', 'pay.tac']);
    const planned = await run('retry', '--failed', '--since', '2h', '--dry-run');
    expect(listed(planned.code, planned.json())).toMatchObject({
      code: 1,
      json: { fit: 2, repeat: 1, diverge: 0, failed: 0, moved: 0 },
    });
    const { runs } = planned.json() as { runs: { run_id: string }[] };
    const of = (id: string) => runs.find(({ run_id: found }) => found === id);
    expect(of('one')).toMatchObject({
      ...{ verdict: 'fits', moved: false, at: '1', message: null },
      plan: { kept: 1, again: [{ position: '1', type: 'http', repeats: false }] },
    });
    expect(of('paid')).toMatchObject({
      ...{ verdict: 'repeats', moved: false, at: '1' },
      message: expect.stringContaining('POST') as unknown,
    });
    const text = await folder.runHere(['retry', '--failed', '--dry-run']);
    expect(text.stdout).toContain('  Asked for again:');
    expect(text.stdout).toContain('3 have failed: 2 can go on, 0 went on, 1 would repeat');

    const first = await run('retry', '--failed', '--procedure', 'look', '--limit', '1');
    expect(listed(first.code, first.json())).toMatchObject({ code: 0, json: { moved: 1 } });
    const rest = await run('retry', '--failed', '--since', '2h');
    expect(listed(rest.code, rest.json())).toMatchObject({
      code: 1,
      json: { fit: 1, moved: 1, repeat: 1 },
    });
    expect((await run('status', 'paid')).json()).toMatchObject({ status: 'failed' });
    expect(sent()).toEqual([]);
    for (const id of ['one', 'two'])
      expect((await run('resume', id)).json()).toMatchObject({ output: { price: '/price', last: '/stock' } });
    expect(sent()).toEqual(['GET /stock', 'GET /stock']);

    const agreed = await run('retry', '--failed', '--yes');
    expect(listed(agreed.code, agreed.json())).toMatchObject({
      code: 0,
      json: { moved: 1, runs: [{ run_id: 'paid', verdict: 'fits', moved: true }] },
    });
    expect((await run('resume', 'paid')).json()).toMatchObject({ output: { last: '/charge' } });
    expect(await run('retry', '--failed').then(({ code, json }) => listed(code, json()))).toMatchObject({
      code: 0,
      json: { runs: [], moved: 0 },
    });
  });

  it.each([
    [['retry'], 'retry takes the id of a run, or --failed'],
    [['retry', 'one', '--failed'], 'retry takes the id of a run, or --failed'],
    [['retry', '--since', '2h'], 'retry takes the id of a run, or --failed'],
    [['retry', '--failed', '--limit', '0'], '--limit takes a positive integer'],
    [['retry', '--failed', '--since', 'soon'], '--since must be a date'],
    [['rewind', '--at', '0'], 'rewind takes the id of a run, or --failed'],
    [['rewind', '--failed'], 'rewind needs --at'],
  ])('refuses %j', async (args, message) => {
    const refused = await run(...args);
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({
      error: { code: 'usage', message: expect.stringContaining(message) as unknown },
    });
  });
});

it('rewind --failed makes those go back that have the checkpoint, and need no yes', async () => {
  await fail(['back', 'look.tac'], ['charged', 'pay.tac']);
  const none = await run('rewind', '--failed', '--at', '7');
  expect(listed(none.code, none.json())).toMatchObject({ code: 1, json: { failed: 2, moved: 0 } });
  const back = await run('rewind', '--failed', '--at', '0');
  expect(listed(back.code, back.json())).toMatchObject({ code: 1, json: { fit: 1, moved: 1, repeat: 1 } });
  expect((await run('resume', 'back')).json()).toMatchObject({ output: { price: '/price', last: '/stock' } });
  expect(sent()).toEqual(['GET /price', 'GET /stock']);
  expect((await run('status', 'back')).json()).toMatchObject({
    changes: [{ kind: 'rewind', position: '0' }],
  });
});

it('fork --failed starts another run for each, and never a second one for the same', async () => {
  await fail(['fork-a', 'look.tac'], ['fork-b', 'pay.tac']);
  const fork = (procedure: string, ...args: string[]) =>
    run('fork', '--failed', '--procedure', procedure, '--at', '1', ...args);
  expect((await fork('look', '--dry-run')).json()).toMatchObject({ fit: 1, moved: 0 });
  expect((await fork('pay')).json()).toMatchObject({ fit: 0, moved: 0 });
  const first = await fork('look');
  expect(first.json()).toMatchObject({ fit: 1, moved: 1 });
  const { runs } = first.json() as { runs: { run_id: string; moved: boolean; forked: string }[] };
  const moved = runs.filter((each) => each.moved);
  expect(moved).toMatchObject([
    { run_id: 'fork-a', forked: expect.stringMatching(/^fork-a-\w{8}$/) as unknown },
  ]);
  const [{ forked = '' } = {}] = moved;
  expect((await run('resume', forked)).json()).toMatchObject({
    output: { price: '/price', last: '/stock' },
  });
  expect(sent()).toEqual(['GET /stock']);
  expect((await run('status', 'fork-a')).json()).toMatchObject({ status: 'failed' });
  expect((await fork('look')).json()).toMatchObject({ runs: [] });
  const agreed = (await fork('pay', '--yes')).json() as { runs: unknown[] };
  expect(agreed.runs).toContainEqual(expect.objectContaining({ run_id: 'fork-b', moved: true }));
  const refused = await run('fork', '--failed', '--at', '1', '--id', 'one');
  expect(refused.json()).toMatchObject({
    error: { code: 'usage', message: 'With --failed, each new run has an id of its own' },
  });
});
