import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let shop: ProviderStandIn;
/** What the shop was sent, in order. */
const sent = (): string[] => shop.requests.map(({ method, path }) => `${method} ${path}`);
/** Paths that fail. */
const broken = new Set<string>();

beforeAll(async () => {
  shop = await startProviderStandIn();
  // A connection that breaks off: nobody knows what was done.
  shop.reply(({ path }) => (broken.has(path) ? { reset: true } : { json: { path } }));
  const { url } = shop;
  folder = cliFolder();
  const body = (last: string): string => `local shop = "${url}"
Procedure { function()
  local function ask(method, path)
    local response = http_client[method](shop .. path)
    return response.json.path
  end
  local price = ask("get", "/price")
  ${last}
end }`;
  folder.write('get.tac', body('return { price = price, stock = ask("get", "/stock") }'));
  folder.write('post.tac', body('return { price = price, paid = ask("post", "/charge") }'));
  folder.write('waits.tac', body('return Human.approve("Go?")'));
  folder.write('bug.tac', body('return { price = price .. nil }'));
  folder.write('mended.tac', body('return { price = price, mended = true }'));
  const inStep = (path: string, last: string): string =>
    body(`step("buy", function() ask("get", "${path}") ${last} end) return { price = price }`);
  folder.write('step.tac', inStep('/cart', 'error("no cart")'));
  folder.write('mended-step.tac', inStep('/basket', ''));
  folder.write('other.tac', body('return {}').replace('"/price"', '"/cost"'));
});

beforeEach(() => {
  shop.requests.length = 0;
  broken.clear();
});

afterAll(async () => {
  await folder.close();
  await shop.close();
});

const run = (...args: string[]) => folder.runHere([...args, '--json']);

describe('retry', () => {
  it('goes on under the same id where a function has failed, with a source that gets past it', async () => {
    const failed = await run('run', 'bug.tac', '--id', 'bug');
    expect(failed.json()).toMatchObject({ error: { code: 'lua_error' } });
    const again = await run('retry', 'bug');
    expect(again.json()).toMatchObject({
      error: { code: 'lua_error', message: expect.stringContaining('nil') as unknown },
    });
    const planned = await run('retry', 'bug', '--source', 'mended.tac', '--dry-run');
    expect(planned.json()).toMatchObject({
      run_id: 'bug',
      at: null,
      plan: { kept: 1, diverges: null, again: [] },
    });
    expect((await run('status', 'bug')).json()).toMatchObject({ status: 'failed' });
    const retried = await run('retry', 'bug', '--source', 'mended.tac');
    expect(retried.code, retried.stderr).toBe(0);
    expect(retried.json()).toMatchObject({ run_id: 'bug', from: 'bug', at: null, plan: { kept: 1 } });
    expect((await run('resume', 'bug')).json()).toMatchObject({ output: { price: '/price', mended: true } });
    expect(sent()).toEqual(['GET /price']);
  });

  it('tries again what failed, and nothing that was recorded', async () => {
    broken.add('/stock');
    const failed = await run('run', 'get.tac', '--id', 'get');
    expect(failed.json()).toMatchObject({ error: { code: 'http_failed' } });
    broken.clear();
    shop.requests.length = 0;
    const retried = await run('retry', 'get');
    expect(retried.json(), retried.stderr).toMatchObject({
      at: '1',
      plan: { kept: 1, again: [{ position: '1', type: 'http', effect: 'pure', repeats: false }] },
    });
    expect((await run('resume', 'get')).json()).toMatchObject({
      output: { price: '/price', stock: '/stock' },
    });
    expect(sent()).toEqual(['GET /stock']);
  });

  it('needs a yes for what may be done once only, and was begun', async () => {
    broken.add('/charge');
    await run('run', 'post.tac', '--id', 'post');
    broken.clear();
    shop.requests.length = 0;
    const refused = await run('retry', 'post');
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({ error: { code: 'change_refused' } });
    expect((await run('status', 'post')).json()).toMatchObject({ status: 'failed' });
    expect(sent()).toEqual([]);
    expect((await run('retry', 'post', '--yes')).code).toBe(0);
    expect((await run('resume', 'post')).json()).toMatchObject({ output: { paid: '/charge' } });
    expect(sent()).toEqual(['POST /charge']);
  });

  it('refuses a source that does not fit, with the run as it was', async () => {
    await run('run', 'bug.tac', '--id', 'unfit');
    const refused = await run('retry', 'unfit', '--source', 'other.tac');
    expect(refused.json()).toMatchObject({
      error: {
        code: 'non_determinism',
        position: '0',
        file: 'other.tac',
        line: 4,
        found: { name: expect.stringContaining('/cost') as unknown },
      },
    });
    expect((await run('status', 'unfit')).json()).toMatchObject({ status: 'failed' });
  });

  it('goes on with a run that was terminated where it was', async () => {
    expect((await run('run', 'waits.tac', '--id', 'stopped')).code).toBe(3);
    await run('terminate', 'stopped');
    shop.requests.length = 0;
    const retried = await run('retry', 'stopped');
    expect(retried.json(), retried.stderr).toMatchObject({ at: null, plan: { kept: 1 } });
    const resumed = await run('resume', 'stopped', '--respond', 'true');
    expect(resumed.json()).toMatchObject({ output: true });
    expect(sent()).toEqual([]);
  });

  it('refuses a run that has not failed', async () => {
    await run('run', 'mended.tac', '--id', 'done');
    expect((await run('retry', 'done')).json()).toMatchObject({
      error: { code: 'usage', message: expect.stringContaining('done has completed') as unknown },
    });
    expect((await run('retry', 'nobody')).json()).toMatchObject({ error: { code: 'run_not_found' } });
  });

  it('asks for all of a failed step again where its source has changed, and plans the same', async () => {
    await run('run', 'step.tac', '--id', 'step');
    shop.requests.length = 0;
    const args = ['retry', 'step', '--source', 'mended-step.tac'];
    const planned = await run(...args, '--dry-run');
    expect(planned.code, planned.stdout).toBe(0);
    expect(planned.json()).toMatchObject({
      at: '1',
      plan: { kept: 1, diverges: null, again: [{ position: '1.0', type: 'http' }] },
    });
    expect((await run(...args)).json()).toMatchObject({ at: '1', plan: { kept: 1 } });
    expect((await run('resume', 'step')).json()).toMatchObject({ output: { price: '/price' } });
    expect(sent()).toEqual(['GET /basket']);
  });
});
