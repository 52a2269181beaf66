import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import type { JsonObject } from '../../src/contract/json/json.js';
import { activityAttempts } from '../support/activity-attempts.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { replayHistories } from '../support/replay-histories.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { eachOf } from './each-of.js';
import { failedTasks } from '../support/histories.js';
import { seen } from './seen.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = fileURLToPath(new URL('procedures', import.meta.url));
const graphNodes = new URL('../support/graph-nodes.mjs', import.meta.url).href;

/**
 * At every which of the boundaries of a run its worker is killed, and from which on: from another one for each commit. At all of them, in some
 * minutes: `KILL_EVERY=1 npm test -- test/fault/kill-sweep`.
 */
const killEvery = Number(process.env['KILL_EVERY'] ?? 12);
const killFrom = Number(
  process.env['KILL_FROM'] ?? 1 + (Number(process.env['SAMPLE_SEED'] ?? 0) % killEvery),
);

/** Runs at once: mostly they wait for the server to notice that a worker is dead. */
const atOnce = 5;

const procedures: {
  entry: string;
  input: (endpoint: string) => JsonObject;
  output: JsonObject;
  request: string | null;
  /** It has so many boundaries at least. */
  leastBoundaries: number;
  /** A module with what its workers have besides, by the address of the receiver. */
  tools?: (url: string) => string;
  /** First fields of the intents that it sends, in order. */
  sent?: string[];
  /** It has so many that each takes long: at every which of the sample; left out: at each. */
  every?: number;
}[] = [
  {
    entry: 'order-answer.tac',
    input: () => ({ order: 'A7' }),
    output: {
      draft: 'It is late: {"id":"A7","days_late":3}',
      sent: true,
      thanks: 'You said: Now thank them.',
    },
    request: '2',
    leastBoundaries: 14,
  },
  {
    entry: 'side-by-side.tac',
    input: (endpoint) => ({ endpoint }),
    output: {
      scores: [
        [0.75, 0.75],
        [1, 1.25],
      ],
      answer: 'b',
      total: 3.75,
    },
    request: null,
    leastBoundaries: 14,
  },
  {
    entry: 'graph.tac',
    input: (endpoint) => ({ endpoint }),
    output: { endpoint: expect.any(String) as string, scores: [0.25, 0.75, 1], total: 1, ok: true },
    request: '0.0.2.0.2.0.0',
    leastBoundaries: 12,
    tools: (url) => `export const outbox = { tell: { url: ${JSON.stringify(`${url}/tell`)} } };`,
    sent: ['begun', 'scored', 'value', 'done'],
  },
  {
    entry: 'worker-graph.tac',
    input: (endpoint) => ({ endpoint }),
    output: { endpoint: expect.any(String) as string, scores: [0.25, 0.75, 1], total: 1, ok: true },
    request: '1.0.2.0.2.0.1',
    leastBoundaries: 20,
    tools: (url) =>
      `export * from ${JSON.stringify(graphNodes)}; export const outbox = { tell: { url: ${JSON.stringify(`${url}/tell`)} } };`,
    sent: ['begun', 'scored', 'value', 'done'],
  },
  {
    entry: 'plans.tac',
    input: (endpoint) => ({ endpoint }),
    output: {
      ...{ rounds: 3, last: 0.75, ok: true },
      progress: '**Objective**: The guide\n\n**Completed:**\n- ✓ Draft\n- ✓ Review\n',
    },
    request: '2.3',
    leastBoundaries: 20,
  },
  {
    entry: 'plan-and-publish.tac',
    input: (endpoint) => ({ endpoint, folder: 'plans' }),
    output: { published: true, text: 'the plan, scored 2' },
    request: '1/1',
    leastBoundaries: 14,
  },
  {
    entry: 'spawned-parts.tac',
    input: (endpoint) => ({ endpoint }),
    output: { sum: 3, ok: true },
    request: '1/1',
    leastBoundaries: 40,
    every: 2,
  },
];

let server: TestServer;
let provider: ProviderStandIn;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(answerByRequest);
});

afterAll(async () => {
  await provider.close();
  await server.stop();
});

describe.each(procedures)(
  'the worker of $entry is killed',
  ({ entry, input, output, request, leastBoundaries, tools, sent = [], every: thinned = 1 }) => {
    const name = entry.replace('.tac', '');

    const run = async (killAt?: number): Promise<SweepOutcome> =>
      sweepRun(server, {
        runId: `${name}-${killAt ?? 'undisturbed'}`,
        source: await collectSource(folder, entry),
        input: input(`${provider.url}/score`),
        filesRoot: temporaryFolder(name),
        env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` },
        request,
        ...(tools === undefined ? {} : { tools: { module: moduleOf(tools(provider.url)) } }),
        ...(killAt === undefined ? {} : { killAt }),
      });

    it('at one boundary after the other, and nothing is lost, doubled or different', async () => {
      const undisturbed = await run();
      expect(undisturbed.output).toEqual(output);
      const expected = seen(undisturbed);
      const expectedRequests = requestsOf(`${name}-undisturbed`);
      const histories: Parameters<typeof replayHistories>[0] = [];
      let killed = 0;
      const every = thinned * killEvery;
      const counting = Array.from(
        { length: (undisturbed.boundaries ?? 0) + 10 },
        (_, i) => i * every + killFrom,
      );
      await eachOf(counting, atOnce, async (killAt) => {
        const outcome = await run(killAt);
        const runId = `${name}-${killAt}`;
        if (outcome.boundaries === null) killed++;
        expect(outcome.output, runId).toEqual(output);
        expect(seen(outcome), runId).toEqual(expected);
        expect(failedTasks(outcome.histories), runId).toEqual([]);
        histories.push(...outcome.histories.map((history) => ({ workflowId: runId, history })));
        checkPurchases(runId, outcome, expectedRequests);
        expect(intentsOf(runId), runId).toEqual(sent);
        return outcome.boundaries === null;
      });
      expect(await replayHistories(histories)).toEqual([]);
      console.log(`${entry}: killed at ${killed} boundaries`);
      expect(killFrom - 1 + killed * every).toBeGreaterThanOrEqual(leastBoundaries);
    }, 900_000);
  },
);

/** Writes a module, and gives its path. */
function moduleOf(text: string): string {
  const path = join(temporaryFolder('module'), 'module.mjs');
  writeFileSync(path, text);
  return path;
}

/** First fields of the intents that the receiver has of a run: each key once, in the order in which it came first. */
function intentsOf(runId: string): string[] {
  const bodies = new Map<string, JsonObject>();
  for (const { path, headers, body } of provider.requests) {
    const key = String(headers['idempotency-key']);
    if (path === '/tell' && key.startsWith(`${runId}/`) && !bodies.has(key)) bodies.set(key, body);
  }
  return [...bodies.values()].map(({ payload }) => Object.keys(payload as JsonObject)[0] ?? '');
}

/** Requests of a run and its children: by idempotency key without the run's own part, how often each body came. */
function requestsOf(runId: string): Map<string, { times: number; bodies: Set<string> }> {
  const requests = new Map<string, { times: number; bodies: Set<string> }>();
  for (const { headers, body } of provider.requests) {
    const key = String(headers['idempotency-key']);
    if (!key.startsWith(`${runId}/`)) continue;
    const request = requests.get(key) ?? { times: 0, bodies: new Set() };
    request.times++;
    request.bodies.add(JSON.stringify(body));
    requests.set(key, request);
  }
  return requests;
}

/**
 * Each effect reaches the receiver under one key and with one body, so that it counts once there; and it is asked for
 * again only by another attempt of an activity whose answer was not recorded.
 */
function checkPurchases(
  runId: string,
  { histories }: SweepOutcome,
  expected: ReturnType<typeof requestsOf>,
): void {
  const requests = requestsOf(runId);
  expect(
    [...requests.values()].map(({ bodies }) => [...bodies].length),
    runId,
  ).toEqual([...expected.values()].map(() => 1));
  const attempts = activityAttempts(histories);
  for (const [key, { times }] of requests) {
    const allowed = attempts.get(key);
    // Those of a child run stand in its own history.
    if (allowed !== undefined) expect(times, key).toBeLessThanOrEqual(allowed);
    expect(times, key).toBeLessThanOrEqual(2);
  }
}
