import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { failedTasks, historiesOf, type History } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const secret = 'token-canary-fedcba9876543210';
const activities = { env: { ORDERS: secret } };

let server: TestServer;
let worker: TestWorker;
let shop: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
});
beforeEach(async () => {
  worker = await startWorker(server, { activities });
  shop = await startProviderStandIn();
  return async () => {
    await worker.stop();
    await shop.close();
  };
});
afterAll(() => server.stop());

/** Names of the activities that were asked for, in order. */
function activitiesIn(histories: readonly History[]): (string | null | undefined)[] {
  return histories
    .flatMap(({ events }) => events ?? [])
    .flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled ? [scheduled.activityType?.name] : [],
    );
}

it('what was answered is not sent again by the worker that takes over, and no secret is kept', async () => {
  shop.reply(
    { status: 201, headers: { 'x-echo': `Bearer ${secret}` }, body: { id: 7, by: secret } },
    { status: 503, headers: { 'retry-after-ms': '1' }, body: `busy, ${secret}` },
    { status: 404, body: 'gone' },
  );
  const run = await server.tactus.start(
    procedureOf(`
      local api = http_client{
        base_url = "${shop.url}/v1",
        headers = { authorization = { secret = "ORDERS", prefix = "Bearer " } },
      }
      local made = api.post("/orders", { json = { tea = 2 } })
      Human.approve("Look for " .. made.json.id .. "?")
      local found = api.get("orders/" .. made.json.id, { params = { full = true }, retries = 1 })
      return { made.status, made.ok, made.json.by, found.status, found.ok, found.body, found.json == nil }`),
  );
  const [request] = await pendingOf(run);
  expect(request?.message).toBe('Look for 7?');
  await worker.stop();
  worker = await startWorker(server, { activities });
  await run.decide({ request: request?.id ?? '', value: true });

  expect(await run.result()).toEqual([201, true, '[redacted]', 404, false, 'gone', true]);
  expect(shop.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/orders',
    'GET /v1/orders/7?full=true',
    'GET /v1/orders/7?full=true',
  ]);
  const [first, second, third] = shop.requests.map(({ headers }) => headers);
  expect(first).toMatchObject({ authorization: `Bearer ${secret}`, 'content-type': 'application/json' });
  expect(first?.['idempotency-key']).toBeTruthy();
  expect(second?.['idempotency-key']).not.toBe(first?.['idempotency-key']);
  expect(third?.['idempotency-key']).toBe(second?.['idempotency-key']);

  const host = new URL(shop.url).host;
  const { execution_log: log } = await run.log();
  expect(log.map(({ type, name }) => [type, name])).toEqual([
    ['http', `POST ${host}/v1/orders`],
    ['hitl_approval', 'Look for 7?'],
    ['http', `GET ${host}/v1/orders/7`],
  ]);
  const histories = await historiesOf(server.client, run.runId);
  expect(activitiesIn(histories)).toEqual(['httpRequest', 'httpRequest']);
  expect(failedTasks(histories)).toEqual([]);
  const kept = JSON.stringify([histories, log], (_key, value: unknown) => {
    if (value instanceof Uint8Array) return new TextDecoder().decode(value);
    return typeof value === 'bigint' ? String(value) : value;
  });
  expect(kept).toContain('gone');
  expect(kept).not.toContain('canary');
});

it('what fails for good can be caught, side by side with what does not, and a dependency is a client', async () => {
  shop.reply(({ path }) => (path === '/bad' ? { reset: true } : { json: { path } }));
  const run = await server.tactus.start({
    entry: 'main.tac',
    files: {
      'main.tac': `Procedure {
        dependencies = { api = { type = "http_client", base_url = "${shop.url}" } },
        function()
          local results = Parallel{
            function() return { pcall(dependencies.api.get, "/bad") } end,
            function() return checkpoint(function() return dependencies.api.get("/good").json.path end) end,
          }
          return { failed = results[1][2], path = results[2] }
        end,
      }`,
    },
  });
  expect(await run.result()).toEqual({
    failed: expect.stringMatching(/^GET 127.0.0.1:\d+\/bad: can't be reached \(.+\)$/) as string,
    path: '/good',
  });
  expect(shop.requests).toHaveLength(2);
});

it('what nobody catches ends the run with its line', async () => {
  const run = await server.tactus.start(procedureOf('\nhttp_client.get("http://me@127.0.0.1/")'));
  await expect(run.result()).rejects.toMatchObject({ code: 'http_failed' });
  expect((await run.status()).error).toMatchObject({ code: 'http_failed', file: 'main.tac', line: 3 });
});

it('whatever is answered is handed over, and nothing is sent twice that nobody asked to be', async () => {
  const sick = { status: 503, headers: { 'retry-after': '1' }, body: { down: ['disk'] } };
  shop.reply(sick, sick, sick, sick, sick, { status: 429 });
  const run = await server.tactus.start(
    procedureOf(`
      local function seen(answer) return { answer.status, answer.ok, answer.json and answer.json.down and answer.json.down[1] } end
      local api = http_client{ base_url = "${shop.url}", retry = { attempts = 3, delay_seconds = 0.01 } }
      local plain = http_client.get("${shop.url}/health")
      return {
        plain.headers["retry-after"], seen(plain), seen(api.post("/health", { json = { n = 1 } })),
        seen(api.get("/health", { retries = 1, headers = { at = "once" } })),
        seen(api.get("/health", { retries = 0 })), seen(api.get("/health", { retries = 0 })),
        select(2, pcall(api.post, "/health", { retries = 2 })),
      }`),
  );
  expect(await run.result()).toEqual([
    '1',
    [503, false, 'disk'],
    [503, false, 'disk'],
    [503, false, 'disk'],
    [503, false, 'disk'],
    [429, false],
    expect.stringContaining('a POST request is sent once') as string,
  ]);
  expect(shop.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'GET', 'GET', 'GET']);
});

it('what gets no answer is tried as often as was asked, and the error says how often', async () => {
  shop.reply(() => ({ reset: true }));
  const run = await server.tactus.start(
    procedureOf(`
      local again = { attempts = 3, delay_seconds = 0.01 }
      return { select(2, pcall(http_client.get, "${shop.url}/", { retry = again })),
               select(2, pcall(http_client.get, "${shop.url}/")) }`),
  );
  expect(await run.result()).toEqual([
    expect.stringMatching(/can't be reached .*\(attempt 3 of 3\)$/) as string,
    expect.not.stringContaining('tried') as string,
  ]);
  expect(shop.requests).toHaveLength(4);
});

it('what the policy of the worker refuses is an error that a procedure catches, and isn’t tried again', async () => {
  await worker.stop();
  const egressPolicy = { profile: 'production' } as const;
  worker = await startWorker(server, { activities: { ...activities, egressPolicy } });
  const run = await server.tactus.start(
    procedureOf(`
      local ok, problem = pcall(http_client.get, "${shop.url}/a", { retries = 5 })
      http_client.get("${shop.url}/b")
      return { ok }`),
  );
  await expect(run.result()).rejects.toMatchObject({ code: 'egress_denied' });
  expect(shop.requests).toEqual([]);
  const histories = await historiesOf(server.client, run.runId);
  expect(activitiesIn(histories)).toEqual(['httpRequest', 'httpRequest']);
});
