import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { procedureOf } from '../../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

let server: TestServer;
let worker: TestWorker;
let provider: ProviderStandIn;

const prices = JSON.stringify({ 'openai/gpt-own': { input: 2_000_000, output: 3_000_000 } });

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  const env = {
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: `${provider.url}/v1`,
    TACTUS_TEMPORAL_PRICES: prices,
  };
  worker = await startWorker(server, { activities: { env } });
});
beforeEach(() => provider.reply(() => good));
afterAll(async () => {
  await worker.stop();
  await provider.close();
  await server.stop();
});

const usage = { input: 10, output: 1 };
const bad = { text: '{"m": 1}', usage };
const good = { text: '{"n": 1}', usage };

const asking = (more = '', model = 'gpt-own'): string =>
  `a = Agent { model = "openai/${model}", output = { n = field.number{required = true} }, retry = { attempts = 3, delay_seconds = 0.01 }, ${more} }`;

async function usageOf(body: string, files: Record<string, string> = {}): Promise<[unknown, object]> {
  const run = await server.tactus.start(procedureOf(body, files), {});
  return [await run.result(), (await run.status()).usage];
}

it('counts answers that could not be used, in the end with success', async () => {
  provider.reply(bad, bad, good);
  expect(await usageOf(`${asking()} return a("?").cost()`)).toEqual([
    {
      total_cost: 69,
      prompt_cost: 60,
      completion_cost: 9,
      prompt_tokens: 30,
      completion_tokens: 3,
      total_tokens: 33,
    },
    { input_tokens: 30, output_tokens: 3, cost_usd: 69 },
  ]);
});

it('counts answers that could not be used, in vain', async () => {
  provider.reply(bad, { status: 500, body: {} }, bad);
  expect(await usageOf(`${asking()} return (pcall(a, "?"))`)).toEqual([
    false,
    { input_tokens: 20, output_tokens: 2, cost_usd: 46 },
  ]);
});

it('counts what child runs used, waited for or spawned, also those that failed', async () => {
  const child = `${asking()} Procedure { function() return { n = a("?").output.n } end }`;
  const fails = `${asking()} Procedure { function() a("?") error("no") end }`;
  const files = { 'child.tac': child, 'fails.tac': fails };
  expect(
    await usageOf(
      `${asking()}
       local spawned = Procedure.spawn("child.tac")
       local failed = pcall(Procedure.run, "fails.tac")
       return { a("?").output.n, Procedure.run("child.tac").n, Procedure.wait(spawned).n, failed }`,
      files,
    ),
  ).toEqual([[1, 1, 1, false], { input_tokens: 40, output_tokens: 4, cost_usd: 92 }]);
});

it('knows what common models cost, by the name that answers or that was asked for', async () => {
  const [, { cost_usd: known }] = (await usageOf(
    `${asking('', 'gpt-4o-mini')} a("?") return a.cost().total_cost > 0`,
  )) as [unknown, { cost_usd: number }];
  expect(known).toBeCloseTo((10 * 0.15 + 0.6) / 1e6, 9);
  const unknown = await usageOf(`${asking('', 'nobody-knows')} a("?") return a.cost().total_cost`);
  expect(unknown).toEqual([0, { input_tokens: 10, output_tokens: 1, cost_usd: null }]);
});
