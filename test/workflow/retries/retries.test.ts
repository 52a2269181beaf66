import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Limits } from '../../../src/contract/runs/limits.js';
import { viewRun } from '../../../src/client/runs/view-run.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

let server: TestServer;
let worker: TestWorker;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
});
beforeEach(async () => {
  provider = await startProviderStandIn();
  const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` };
  worker = await startWorker(server, { activities: { env } });
  return async () => {
    await worker.stop();
    await provider.close();
  };
});
afterAll(() => server.stop());

const soon = 'delay_seconds = 0.01';

/** What an agent with these settings, and these of its call, comes to. */
async function answerOf(settings: string, call = '', limits: Partial<Limits> = {}): Promise<unknown> {
  const source = procedureOf(`
    helper = Agent { model = "openai/gpt-x", ${settings} }
    local ok, what = pcall(helper, { message = "hello", ${call} })
    return ok and what.output or tostring(what)`);
  return (await server.tactus.start(source, {}, { limits })).result();
}

const broken = { status: 500, body: { error: { message: 'broken' } } };
const misses = { text: '{"m": 1}' };

it.each([
  ['an agent says', `retry = { attempts = 3, ${soon} }`, '', 3],
  ['its call says', `retry = { attempts = 3, ${soon} }`, 'retries = 0', 1],
  ['only answers are tried again', `retry = { attempts = 3, on = "validation_only", ${soon} }`, '', 1],
  ['it is not enabled', `retry = { attempts = 3, enabled = false }`, '', 1],
])('what fails on its way is tried as often as %s', async (_, settings, call, count) => {
  provider.reply(() => broken);
  const tried = count === 1 ? '' : ` (attempt ${count} of ${count})`;
  expect(await answerOf(settings, call)).toMatch(
    new RegExp(`answered 500: broken${tried.replace(/[()]/g, '\\$&')}$`),
  );
  expect(provider.requests).toHaveLength(count);
});

it.each([
  ['three times', '', 3],
  ['as often as its agent says', 'retries = 1,', 2],
  ['once, where only the way is tried again', `retry = { attempts = 3, on = "infra_only", ${soon} },`, 1],
])('an answer that can not be used is paid for %s', async (_, settings, count) => {
  provider.reply(() => misses);
  expect(await answerOf(`${settings} output = { n = field.number{required = true} }`)).toContain(
    "didn't follow the output schema",
  );
  expect(provider.requests).toHaveLength(count);
});

it('who says when to come back is asked again as long as patience lasts, however often', async () => {
  const busy = { status: 429, headers: { 'retry-after-ms': '20' }, body: { error: { message: 'busy' } } };
  provider.reply(...Array.from({ length: 6 }, () => busy), { text: 'at last' });
  expect(await answerOf('retry = { delay_seconds = 5 }')).toBe('at last');
  expect(provider.requests).toHaveLength(7);

  provider.reply({ ...busy, headers: { 'retry-after-ms': '7200000' } });
  expect(await answerOf('')).toMatch(/answered 429: busy; asks to come back in 7200 s$/);
  provider.reply(...Array.from({ length: 200 }, () => busy));
  expect(await answerOf('', '', { patienceMs: 60 })).toContain('asks to come back in 1 s (attempt');
  const before = provider.requests.length;
  provider.reply(...Array.from({ length: 9 }, () => busy));
  expect(await answerOf('retries = 2')).toContain('answered 429: busy; asks to come back');
  expect(provider.requests).toHaveLength(before + 3);
});

it('a model that falls silent is let go, and asked again', async () => {
  const silence = 'idle_timeout = "0.3s"';
  provider.reply({ hang: true }, { text: 'at last' });
  expect(await answerOf(`${silence}, retry = { ${soon} }`)).toBe('at last');
  await provider.requests[0]?.left;
  expect(new Set(provider.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  provider.reply({ hang: true }, { hang: true });
  expect(await answerOf('', `${silence}, retry = { attempts = 2, ${soon} }`)).toMatch(
    /has sent nothing for 0\.3 s \(attempt 2 of 2\)$/,
  );
});

it('configuration stands below the author and above limits', async () => {
  provider.reply(() => broken);
  const source = (settings: string): ReturnType<typeof procedureOf> =>
    procedureOf(
      `helper = Agent { model = "openai/gpt-x", ${settings} } return tostring(select(2, pcall(helper, "a")))`,
    );
  const settings = { retries: 0, requestTimeoutMs: 100 };
  await (await server.tactus.start(source(''), {}, { settings })).result();
  expect(provider.requests).toHaveLength(1);
  const again = await server.tactus.start(source(`retry = { attempts = 2, ${soon} }`), {}, { settings });
  await again.result();
  expect(provider.requests).toHaveLength(3);
  provider.reply({ hang: true });
  const silent = await server.tactus.start(source(''), {}, { settings });
  expect(await silent.result()).toContain('gave no answer within 100 ms');
});

it('while it waits for its next attempt, a run shows which, of how many, why and when', async () => {
  provider.reply({ status: 500, headers: { 'retry-after': '30' }, body: { error: { message: 'broken' } } });
  const run = await server.tactus.start(
    procedureOf('helper = Agent { model = "openai/gpt-x" } return helper("a")'),
  );
  await waitUntil(async () => (await viewRun(run)).retrying.length > 0);
  const { retrying } = await viewRun(run);
  expect(retrying).toEqual([
    {
      id: expect.any(String) as string,
      attempt: 2,
      attempts: 10,
      message: 'openai/gpt-x: answered 500: broken',
      next_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    },
  ]);
  expect(Date.parse(retrying[0]?.next_at ?? '') - Date.now()).toBeGreaterThan(5_000);
  await run.handle.terminate();
});
