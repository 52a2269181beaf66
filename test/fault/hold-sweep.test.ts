import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { startChildWorker } from '../support/child-worker.js';
import { failedTasks } from '../support/histories.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { eachOf } from './each-of.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

const folder = fileURLToPath(new URL('procedures', import.meta.url));

/** See the sweep of all other effects: `KILL_EVERY=1` is at all boundaries, and each commit has others. */
const every = Number(process.env['KILL_EVERY'] ?? 12);
const from = Number(process.env['KILL_FROM'] ?? 1 + (Number(process.env['SAMPLE_SEED'] ?? 0) % every));
const atOnce = 3;
/** So long lives a worker of the workflow that keeps the holds, in ms. */
const lifeMs = 2_000;

let server: TestServer;
let provider: ProviderStandIn;
/** When the provider was asked for a run, by the run's id. */
const asked = new Map<string, number[]>();
const over = new AbortController();
let registry: Promise<void>;

beforeAll(async () => {
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply((request) => {
    const [runId = ''] = /held_\w+/.exec(JSON.stringify(request.body)) ?? [];
    asked.set(runId, [...(asked.get(runId) ?? []), Date.now()]);
    return answerByRequest(request);
  });
  registry = killRegistryWorkers();
});
afterAll(async () => {
  over.abort();
  await registry;
  await provider.close();
  await server.stop();
});

/** One worker after the other, each killed. */
async function killRegistryWorkers(): Promise<void> {
  while (!over.signal.aborted) {
    const worker = await startChildWorker({
      ...{ address: server.env.address, taskQueue: 'tactus', filesRoot: temporaryFolder('holds') },
    });
    await delay(lifeMs);
    await worker.kill();
  }
}

interface Held {
  from: number;
  to: number;
}

/** Holds all that goes to the task queue of a run, and releases it, again and again. Gives when nothing may have begun. */
async function holdAgainAndAgain(queue: string, signal: AbortSignal): Promise<Held[]> {
  const { holds } = server.tactus;
  const target = `queue:${queue}`;
  const times: Held[] = [];
  while (!signal.aborted) {
    try {
      await holds.add(target, { reason: 'again', by: 'ann' });
      const held = { from: Date.now(), to: Infinity };
      times.push(held);
      await delay(300);
      held.to = Date.now();
      await holds.release(target);
    } catch {
      // No worker lives now.
    }
    await delay(200);
  }
  await holds.release(target).catch(() => undefined);
  return times;
}

async function run(killAt?: number): Promise<SweepOutcome & { times: Held[] }> {
  const runId = `held_${killAt ?? 'undisturbed'}`;
  let times: Held[] = [];
  const outcome = await sweepRun(server, {
    runId,
    source: await collectSource(folder, 'order-answer.tac'),
    input: { order: runId },
    filesRoot: temporaryFolder('held'),
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` },
    request: '2',
    answering: async (signal) => void (times = await holdAgainAndAgain(runId, signal)),
    ...(killAt === undefined ? {} : { killAt }),
  });
  return { ...outcome, times };
}

/** Without what was used: of a call whose worker dies when the model has answered, both answers were paid for. */
const logOf = ({ log }: SweepOutcome): unknown =>
  log.map(({ position, type, name, status }) => ({
    position,
    type,
    name: name.replace(/held_\w+/, ''),
    status,
  }));

/** Calls of the provider while it was held. */
const askedWhileHeld = (runId: string, times: readonly Held[]): number[] =>
  (asked.get(runId) ?? []).filter((at) => times.some((held) => held.from < at && at < held.to));

it('a run whose calls are held again and again loses nothing, asks nothing twice, and nothing while they are held', async () => {
  const undisturbed = await run();
  const calls = asked.get('held_undisturbed')?.length ?? 0;
  expect(undisturbed.times.length).toBeGreaterThan(2);
  expect(askedWhileHeld('held_undisturbed', undisturbed.times)).toEqual([]);
  expect(
    undisturbed.histories.flatMap(({ events }) => events ?? []).filter(isReleased).length,
  ).toBeGreaterThan(0);
  const expected = logOf(undisturbed);
  const histories: Parameters<typeof replayHistories>[0] = [];
  let killed = 0;
  const kills = Array.from({ length: undisturbed.boundaries ?? 0 }, (_, i) => i * every + from);
  await eachOf(kills, atOnce, async (killAt) => {
    const outcome = await run(killAt);
    const runId = `held_${killAt}`;
    if (outcome.boundaries === null) killed++;
    expect(outcome.view.status, runId).toBe('completed');
    expect(logOf(outcome), runId).toEqual(expected);
    expect(failedTasks(outcome.histories), runId).toEqual([]);
    expect(askedWhileHeld(runId, outcome.times), runId).toEqual([]);
    // Of a worker that dies when the model has answered, both answers were paid for.
    expect(asked.get(runId)?.length, runId).toBeLessThanOrEqual(calls + 1);
    histories.push(...outcome.histories.map((history) => ({ workflowId: runId, history })));
    return outcome.boundaries === null;
  });
  expect(await replayHistories(histories)).toEqual([]);
  console.log(`held again and again: killed at ${killed} boundaries`);
  expect(from - 1 + killed * every).toBeGreaterThanOrEqual(14);
}, 900_000);

const isReleased = (event: {
  workflowExecutionSignaledEventAttributes?: { signalName?: string | null } | null;
}) => event.workflowExecutionSignaledEventAttributes?.signalName === 'tactus_released';
