import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../src/client/tactus-run.js';
import { viewRun } from '../../src/client/runs/view-run.js';
import { digestOf } from '../../src/contract/effects/digest.js';
import { isObject, type JsonValue } from '../../src/contract/json/json.js';
import { activityAttempts } from '../support/activity-attempts.js';
import { historiesOf, scheduledOn } from '../support/histories.js';
import { isAlive } from '../support/is-alive.js';
import { pendingOf } from '../support/pending-of.js';
import { procedureOf } from '../support/procedure-source.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { pythonOr, type Python } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { replayRun } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

/** Functions in Python, called as tools by runs whose worker is in TypeScript. */

const found = await pythonOr('tools of a worker in Python');
const marks = temporaryFolder('till');
let python: Python;
let server: TestServer;
let provider: ProviderStandIn;
let worker: TestWorker;
let tools: PythonWorker;

const startTools = (): Promise<PythonWorker> =>
  startPythonWorker(python, server, ['--module', 'till', '--grace', '1'], { cwd: import.meta.dirname });

beforeAll(async () => {
  if (found === null) return;
  python = found.with({ MARKS: marks });
  [server, provider] = await Promise.all([startDevServer(), startProviderStandIn()]);
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` };
  [worker, tools] = await Promise.all([startWorker(server, { activities: { env } }), startTools()]);
});
afterAll(async () => {
  await tools?.end();
  await worker?.stop();
  await provider?.close();
  await server?.stop();
});
beforeEach(() => writeFile(join(marks, 'ledger'), ''));

/** What was done, by whom and how often. */
const ledger = (): { what: string; key: string; attempt: number; by: string | null }[] =>
  readFileSync(join(marks, 'ledger'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ReturnType<typeof ledger>[number]);

const start = (body: string): Promise<TactusRun> =>
  server.tactus.start(procedureOf(body), {}, { limits: { heartbeatMs: 1_000 } });
const resultOf = async (body: string): Promise<JsonValue> => (await start(body)).result();
const use = (name: string): string => `Tool { use = "python.${name}" }`;
const quick = (name: string, more = ''): string =>
  `Tool { use = "python.${name}", retry = { delay = 0.1 }, ${more} }`;

async function replays(run: TactusRun): Promise<number[]> {
  const histories = await historiesOf(server.client, run.runId);
  expect(await replayRun(server.client, run)).toEqual([]);
  return [...activityAttempts(histories).values()];
}

describe.skipIf(found === null)('a function in Python', () => {
  it('is called by a procedure, on the queue of workers in Python, with a key of its own', async () => {
    const run = await start(`
      local charge = ${use('charge')}
      local first = charge { card = "a", cents = 3 }
      return { first, charge { card = "b", cents = 4, currency = "usd" }, charge.call_count() }`);
    expect(await run.result()).toEqual([{ charged: 3, currency: 'eur' }, { charged: 4, currency: 'usd' }, 2]);
    const queues = (await historiesOf(server.client, run.runId)).flatMap((each) => scheduledOn(each));
    expect(queues).toEqual([
      'listTools on tactus-python',
      'callTool on tactus-python',
      'callTool on tactus-python',
    ]);
    expect(ledger().map(({ key }) => key.split('/').at(-1))).toEqual(['1', '2']);
    await replays(run);
  });

  it('is given to an agent beside tools of elsewhere, with what its author says of it', async () => {
    provider.reply(
      { toolCalls: [{ name: 'charge', arguments: '{"card": "a", "cents": "3"}' }] },
      { toolCalls: [{ name: 'charge', arguments: '{"card": "a", "cents": 3}' }] },
      { toolCalls: [{ name: 'rate', arguments: '{"text": "fine"}' }] },
      { text: 'done' },
    );
    const run = await start(`
      local helper = Agent { model = "openai/gpt-x", tools = { "python.charge", "python.rate", "host.none" } }
      local ok, why = pcall(helper, "charge it")
      local able = Agent { model = "openai/gpt-x", tools = { "python.charge", "python.rate" } }
      return { tostring(why), able("charge it").output }`);
    expect(await run.result()).toEqual([expect.stringContaining("unknown tool 'host.none'"), 'done']);
    const [first, second, third, last] = provider.requests.map(({ body }) => body);
    expect(first?.['tools']).toMatchObject([
      {
        function: {
          name: 'charge',
          description: 'Charges a card, once for each call.',
          parameters: {
            properties: {
              card: { type: 'string' },
              cents: { type: 'integer' },
              currency: { enum: ['eur', 'usd'] },
            },
            required: ['card', 'cents'],
            additionalProperties: false,
          },
        },
      },
      { function: { name: 'rate', description: 'Rates a review.' } },
    ]);
    expect(JSON.stringify(second)).toContain("the arguments don't fit");
    expect(JSON.stringify(third)).toContain('charged');
    expect(JSON.stringify(last)).toContain('stars');
    expect(ledger().map(({ what }) => what)).toEqual(['charge']);
    await replays(run);
  });

  it('that is a model is a tool, too', async () => {
    expect(
      await resultOf(
        `return { ${use('rate')}({ text = "tea" }).stars, ${use('rate-all')}({ text = "coffee" }) }`,
      ),
    ).toEqual([3, 6]);
  });

  it('is called again where that may go better, and says what is wrong where not', async () => {
    const run = await start(`
      local said = {}
      for i, call in ipairs {
        function() return ${quick('look')}({ name = "again" }).name end,
        function() return ${quick('mistaken')}({ name = "x" }) end,
        function() return ${quick('nan')}({}) end,
        function() return ${quick('huge')}({}) end,
        function() return ${quick('hang', 'retries = 0')}({}) end,
        function() return ${use('charge')}({ card = "a" }) end,
        function() return ${use('charge')}({ card = "a", cents = 1, more = 1 }) end,
        function() return ${use('charge')}({ card = "declined", cents = 1 }) end,
        function() return Tool { use = "python.charge", on_unknown = "error" }({ card = "cut", cents = 1 }) end,
        function() return Tool { use = "python.charge", effect = "pure", on_unknown = "error" }({ card = "cut", cents = 1 }) end,
        function() return ${use('none')}({}) end,
      } do
        local ok, what = pcall(call)
        said[i] = ok and what or tostring(what)
      end
      return said`);
    expect(await run.result()).toEqual([
      'again',
      expect.stringContaining("python.mistaken: KeyError: 'x'"),
      expect.stringContaining("python.nan was done, and gave nan, which JSON can't say"),
      expect.stringContaining('The result of python.huge is 1.6 MB; at most 1.5 MB can be recorded'),
      expect.stringContaining('python.hang: gave no answer within 500 ms'),
      expect.stringContaining("python.charge: the arguments don't fit"),
      expect.stringContaining("python.charge: the arguments don't fit"),
      expect.stringContaining('the card was declined'),
      expect.stringContaining(
        'nobody knows whether charge was done: python.charge: OSError: the line is dead',
      ),
      // A file can be more careful than its author, and no less.
      expect.stringContaining('nobody knows whether charge was done'),
      expect.stringContaining('no function none in this worker; there are: charge, guarded'),
    ]);
    expect(ledger().map(({ what, attempt }) => [what, attempt])).toEqual([
      ['again', 1],
      ['again', 2],
      ['cut', 1],
      ['cut', 1],
    ]);
    expect(tools.process.exitCode).toBeNull();
    await replays(run);
  });

  it('that may be called once alone is asked whether it was done where it dies at it', async () => {
    const run = await start(`
      local pay = ${use('pay')}
      return { pay { name = "plain" }, pay { name = "late" }, pay { name = "early" } }`);
    expect(await run.result()).toEqual(['paid plain', 'paid late', 'paid early']);
    const counts = (what: string): number => ledger().filter((each) => each.what === what).length;
    expect(['plain', 'late', 'early'].map(counts)).toEqual([1, 1, 1]);
    const { execution_log: log } = await run.log();
    expect(log.filter(({ input }) => isObject(input) && input['operation'] === 'verify')).toHaveLength(2);
    await replays(run);
  });

  it('is not called without the approval that its author wants, and with that of this call alone', async () => {
    const run = await start(`
      local guarded = ${use('guarded')}
      return { guarded({ cents = 2 }), guarded({ cents = 12.5, rate = 0.0000001 }) }`);
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({ kind: 'approval', context: { arguments: { cents: 12.5, rate: 1e-7 } } });
    expect(ledger().map(({ by }) => by)).toEqual([null]);
    await run.decide({ request: request?.id ?? '', value: true, by: 'ann' });
    expect(await run.result()).toEqual([{ cents: 0 }, { by: 'ann', cents: 12.5 * 1e-7 }]);
    await replays(run);
  });

  it('is not called where the policy that the run was started with forbids it', async () => {
    const toolPolicy = {
      default: 'allow' as const,
      rules: [{ tool: 'python.ch*', action: 'deny' as const }],
    };
    const body = `return tostring(select(2, pcall(${use('charge')}, { card = "a", cents = 1 })))`;
    const run = await server.tactus.start(procedureOf(body), {}, { settings: { toolPolicy } });
    expect(await run.result()).toContain('the policy forbids');
    expect(ledger()).toEqual([]);
  });

  it('tells calls apart as the run does', async () => {
    const numbers = [
      0,
      -0,
      5,
      5.5,
      -0.1,
      1e-6,
      1e-7,
      1.25e-9,
      0.00001,
      123456.789,
      2 ** 53,
      1e20,
      1e21,
      -1.5e300,
      5e-324,
    ];
    const values: JsonValue[] = [
      ...numbers,
      'a"\\\n\u0001ж😀\u2028\ud800',
      { b: [null, true], '😀': 1, '\uffff': 2, a: {} },
    ];
    const program =
      'import json, sys; from tactus_temporal.canonical_json import digest_of; ' +
      'print(json.dumps([digest_of(each) for each in json.loads(sys.argv[1])]))';
    const digests = JSON.parse(await python.run(['-c', program, JSON.stringify(values)])) as string[];
    expect(digests).toEqual(values.map(digestOf));
  });

  it('is waited for while no worker in Python is there, and called again by another one where one dies', async () => {
    expect(await tools.end()).toBe(0);
    const run = await start(`return ${quick('wait')}({ name = "killed" })`);
    await waitUntil(async () => (await viewRun(run)).unserved !== undefined);
    expect(await viewRun(run)).toMatchObject({ unserved: [{ task_queue: 'tactus-python' }] });
    tools = await startTools();
    await waitUntil(() => Promise.resolve(ledger().length === 1));
    await tools.end('SIGKILL');
    await writeFile(join(marks, 'killed-go'), '');
    tools = await startTools();
    expect(await run.result()).toBe('killed');
    const [first, second] = ledger();
    expect([first?.attempt, second?.attempt, first?.key]).toEqual([1, 2, second?.key]);
    expect(await replays(run)).toEqual([2]);
  });

  it('ends with its process where its call is cancelled', async () => {
    const run = await start(`return ${use('wait')}({ name = "left" })`);
    await waitUntil(() => Promise.resolve(ledger().length === 1));
    const { pid } = tools.process;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    await run.cancel();
    await waitUntil(() => Promise.resolve(children.every((child) => !isAlive(child))));
    expect(existsSync(join(marks, 'left-go'))).toBe(false);
    expect(await resultOf(`return ${use('rate')}({ text = "tea" }).stars`)).toBe(3);
  });
});
