import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectSource } from '../../src/sources/collect-source.js';
import { activityAttempts } from '../support/activity-attempts.js';
import type { KillAt } from '../support/child-worker.js';
import { failedTasks, historiesOf } from '../support/histories.js';
import { answerByRequest } from '../support/model-answers.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { modelsPythonOr, type Python } from '../support/python.js';
import {
  startDoomedPythonWorker,
  startPythonWorker,
  type Doom,
  type PythonWorker,
} from '../support/python-worker.js';
import { replayHistories } from '../support/replay-histories.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { eachOf } from './each-of.js';
import { seen } from './seen.js';
import { sweepRun, type SweepOutcome } from './sweep-run.js';

/**
 * A run that asks models of every kind, and whoever has them killed: the worker, the process with its models, the worker in
 * Python, and the process with its models. See the sweep of all other effects for `KILL_EVERY=1`, which is at all boundaries.
 */
const found = await modelsPythonOr('models whose workers are killed');
const every = Number(process.env['KILL_EVERY'] ?? 12);
const from = Number(process.env['KILL_FROM'] ?? 1 + (Number(process.env['SAMPLE_SEED'] ?? 0) % every));
const atOnce = 3;

const procedures = fileURLToPath(new URL('procedures', import.meta.url));
const kept = fileURLToPath(new URL('../fixtures/models', import.meta.url));
const pythonTests = fileURLToPath(new URL('../python', import.meta.url));
const folder = temporaryFolder('swept-models');
const output = { sum: 6, score: 0.75, price: 12, mean: 7, sums: [1, 2, 3, 4, 5], prices: [2, 4, 6] };
/** Activities of a run: an ensemble's are its members', and many inputs go two at a time. */
const activities = { runModel: 5, predict: 1, python: 4 };

let python: Python;
let server: TestServer;
let provider: ProviderStandIn;
/** For runs whose workers in Python live. */
let living: PythonWorker;
/** For runs whose workers in Python die. */
let worker: TestWorker;
let undisturbed: SweepOutcome;

type Ended = Pick<SweepOutcome, 'output' | 'view' | 'log' | 'histories'>;

beforeAll(async () => {
  if (found === null) return;
  python = found.with({ MARKS: temporaryFolder('marks') });
  await copyFile(join(kept, 'logit.onnx'), join(folder, 'logit.onnx'));
  server = await startDevServer();
  provider = await startProviderStandIn();
  provider.reply(answerByRequest);
  [living, worker] = await Promise.all([
    startPythonWorker(python, server, survivorOf('living'), { cwd: pythonTests }),
    startWorker(server, { activities: { modelsFolder: folder } }),
  ]);
  undisturbed = await swept('models-undisturbed');
});
afterAll(async () => {
  await living?.end();
  await worker?.stop();
  await provider?.close();
  await server?.stop();
});

function survivorOf(taskQueue: string): string[] {
  return ['--task-queue', taskQueue, '--models', folder, '--module', 'shop', '--grace', '1'];
}

const source = () => collectSource(procedures, 'models.tac');
const input = () => ({ endpoint: `${provider.url}/score` });

/** A run whose first worker dies at a boundary, or the process with its models. */
async function swept(runId: string, killAt?: KillAt, victim?: 'models'): Promise<SweepOutcome> {
  return sweepRun(server, {
    runId,
    source: await source(),
    input: input(),
    filesRoot: temporaryFolder('swept-files'),
    modelsFolder: folder,
    env: {},
    request: null,
    settings: { modelQueues: { python: 'living' } },
    ...(killAt === undefined ? {} : { killAt }),
    ...(victim === undefined ? {} : { victim }),
  });
}

/** A run whose worker in Python dies at a boundary, which another one follows, or the process with its models. */
async function sweptInPython(runId: string, doom: Doom): Promise<Ended> {
  const queue = { taskQueue: runId, folder };
  const first = await startDoomedPythonWorker(python, server, { ...queue, doom });
  const settings = { modelQueues: { python: runId } };
  const run = await server.tactus.start(await source(), input(), {
    runId,
    settings,
    limits: { heartbeatMs: 1_000 },
  });
  const result = run.result();
  await Promise.race([first.ended, result]);
  if (doom.victim === 'models') {
    // It has gone on, whatever became of its models.
    expect(first.said(), runId).toContain('models stopped');
    expect(first.process.exitCode, runId).toBeNull();
    expect(first.process.signalCode, runId).toBeNull();
  }
  await first.end('SIGKILL');
  const next = await startPythonWorker(python, server, survivorOf(runId), { cwd: pythonTests });
  try {
    const output = await result;
    const { execution_log: log } = await run.log();
    return { output, view: await run.status(), log, histories: await historiesOf(server.client, runId) };
  } finally {
    await next.end();
  }
}

/** It is as if nothing had happened; gives how often an activity was tried a second time. */
function check(runId: string, ended: Ended): number {
  expect(ended.output, runId).toEqual(output);
  expect(seen(ended), runId).toEqual(seen(undisturbed));
  expect(failedTasks(ended.histories), runId).toEqual([]);
  const attempts = activityAttempts(ended.histories);
  // Each was recorded once, and what nobody had heard of was asked for once more.
  const all = activities.runModel + activities.predict + activities.python;
  expect(attempts.size, runId).toBe(all);
  expect(Math.max(...attempts.values()), runId).toBeLessThanOrEqual(2);
  const completed = ended.histories
    .flatMap(({ events }) => events ?? [])
    .filter((event) => event.activityTaskCompletedEventAttributes);
  expect(completed, runId).toHaveLength(all);
  for (const [key, { times }] of requestsOf(runId))
    expect(times, key).toBeLessThanOrEqual(attempts.get(key) ?? 0);
  return [...attempts.values()].reduce((sum, each) => sum + each - 1, 0);
}

/** What reached the endpoint, by idempotency key: how often. */
function requestsOf(runId: string): Map<string, { times: number }> {
  const requests = new Map<string, { times: number }>();
  for (const { headers } of provider.requests) {
    const key = String(headers['idempotency-key']);
    if (!key.startsWith(`${runId}/`)) continue;
    requests.set(key, { times: (requests.get(key)?.times ?? 0) + 1 });
  }
  return requests;
}

/** Each of these kills in a run of its own; gives how often an activity was tried again in all of them. */
async function sweep<T>(
  kills: readonly T[],
  name: (kill: T) => string,
  run: (runId: string, kill: T) => Promise<Ended>,
): Promise<number[]> {
  const histories: Parameters<typeof replayHistories>[0] = [];
  const repeated: number[] = [];
  await eachOf(kills, atOnce, async (kill) => {
    const runId = name(kill);
    const ended = await run(runId, kill);
    repeated.push(check(runId, ended));
    histories.push(...ended.histories.map((history) => ({ workflowId: runId, history })));
    return true;
  });
  expect(await replayHistories(histories)).toEqual([]);
  return repeated;
}

/** Of so many boundaries those of the sample: one at least. */
function boundariesOf(count: number, oneOf: number): number[] {
  const first = 1 + ((from - 1) % Math.min(oneOf, count));
  return Array.from({ length: count }, (_, i) => i + 1).filter((each) => (each - first) % oneOf === 0);
}

describe.skipIf(found === null)(
  'each prediction is had once, wherever it is killed:',
  { timeout: 900_000 },
  () => {
    it('undisturbed, nothing is asked twice', () => {
      expect(check('models-undisturbed', undisturbed)).toBe(0);
      const stations = (name: string): number => undisturbed.stations.filter((each) => each === name).length;
      expect([stations('runModel'), stations('predict')]).toEqual([
        2 * activities.runModel,
        2 * activities.predict,
      ]);
    });

    it('the worker', async () => {
      const { stations } = undisturbed;
      const kills = boundariesOf(stations.length, every);
      const repeated = await sweep(kills, (kill) => `models-worker-${kill}`, swept);
      // None of them was tried again but what the worker was at.
      expect(Math.max(...repeated)).toBeLessThanOrEqual(1);
      console.log(`models.tac: its worker killed at ${kills.length} of ${stations.length} boundaries`);
    });

    it('the worker, at a prediction', async () => {
      const kills = boundariesOf(2 * activities.runModel, Math.min(every, 5)).map((nth) => ({
        station: 'runModel',
        nth,
      }));
      const repeated = await sweep(kills, ({ nth }) => `models-asked-${nth}`, swept);
      expect(repeated).toEqual(kills.map(() => 1));
    });

    it('the process with its models', async () => {
      // There is none before the first question.
      const kills = boundariesOf(2 * activities.runModel - 1, Math.min(every, 4)).map((nth) => ({
        station: 'runModel',
        nth: nth + 1,
      }));
      const repeated = await sweep(
        kills,
        ({ nth }) => `models-process-${nth}`,
        async (runId, kill) => {
          const ended = await swept(runId, kill, 'models');
          expect(ended.stations, runId).toContain('models stopped');
          return ended;
        },
      );
      expect(Math.max(...repeated)).toBeLessThanOrEqual(1);
    });

    it('the worker in Python', async () => {
      const kills = boundariesOf(2 * activities.python, Math.min(every, 3));
      const repeated = await sweep(
        kills,
        (kill) => `models-python-${kill}`,
        (runId, killAt) => sweptInPython(runId, { victim: 'worker', killAt }),
      );
      expect(repeated).toEqual(kills.map(() => 1));
    });

    it('the process with its models, of Python', async () => {
      const kills = boundariesOf(2 * activities.python, Math.min(every, 4));
      const repeated = await sweep(
        kills,
        (kill) => `models-of-python-${kill}`,
        (runId, killAt) => sweptInPython(runId, { victim: 'models', killAt }),
      );
      expect(Math.max(...repeated)).toBeLessThanOrEqual(1);
    });
  },
);
