import { expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import { expectReplays } from '../../support/histories-below.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedure, rewinding } from './rewinding.js';

const { around, start, calls } = rewinding();

it.each([
  [
    'a procedure',
    (body: string) =>
      procedure(body).files['main.tac']?.replace('Procedure {', 'Procedure { on_failure = "ask",'),
    '1',
  ],
  [
    'a step',
    (body: string) =>
      procedure(`return step("all", function() ${body} end, { on_failure = "ask" })`).files['main.tac'],
    '0.1',
  ],
])(
  '%s that people gave up is tried again from what failed, and they are asked again where it fails again',
  async (_, write, at) => {
    const source = (url: string) => ({
      entry: 'main.tac',
      files: { 'main.tac': write(`writer("One") return http_client.get("${url}").status`) ?? '' },
    });
    const run = await start(source('http://127.0.0.1:1/x'));
    const decide = async (value: string): Promise<string> => {
      const [asked] = await pendingOf(run);
      const { outcome } = await run.decide({ request: asked?.id ?? '', value, by: 'ann' });
      expect(outcome).toBe('accepted');
      return asked?.id ?? '';
    };
    const first = await decide('give_up');
    await expect(run.result()).rejects.toThrow('fetch failed');
    const paid = calls();
    const { plan, ...retry } = await readRetry(run);
    expect(retry.at).toBe(at);
    expect(plan).toMatchObject({ fails: null, again: [{ position: at, type: 'http' }] });
    await around.server.tactus.startFork(retry);
    // It fails again.
    expect(await decide('give_up')).toBe(first);
    await expect(run.result()).rejects.toThrow('fetch failed');
    expect(calls()).toBe(paid);
    await around.server.tactus.retry(run.runId);
    await decide('retry');
    await decide('give_up');
    await expect(run.result()).rejects.toThrow('fetch failed');
    await expectReplays(around.server.tactus, run.runId);
    // What people try again is done from its beginning.
    expect(calls()).toBe(paid + 1);
  },
);

it('a saga that has taken back what it did makes its calls with other keys than before', async () => {
  const { provider, server } = around;
  const url = (path: string): string => `${provider.url}/${path}`;
  provider.reply(
    ...[{ json: { booked: 1 } }, { status: 400 }, { json: { undone: 1 } }],
    ...[{ json: { booked: 2 } }, { json: { paid: 2 } }],
  );
  const run = await start(
    procedure(`
      return Saga("trip", function(saga)
        saga.add_compensation("undo", function() http_client.post("${url('undo')}") end)
        http_client.post("${url('book')}")
        local answer = http_client.post("${url('pay')}")
        if answer.status ~= 200 then error("not paid") end
        return answer.status
      end)`),
  );
  await expect(run.result()).rejects.toThrow('not paid');
  const retry = await readRetry(run, { mayRepeat: true });
  await server.tactus.startFork(retry);
  expect(await run.result()).toBe(200);
  const asked = provider.requests.map(({ path, headers }) => [path, headers['idempotency-key']] as const);
  expect(asked.map(([path]) => path)).toEqual(['/book', '/pay', '/undo', '/book', '/pay']);
  const keys = new Set(asked.map(([, key]) => key));
  expect(keys.size).toBe(5);
  expect(keys.has(undefined)).toBe(false);
});
