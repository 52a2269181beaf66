import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TactusClient } from '../../src/client/tactus-client.js';
import type { TactusRun } from '../../src/client/tactus-run.js';
import { askingWithin, viewRun } from '../../src/client/runs/view-run.js';
import { activityAttempts } from '../support/activity-attempts.js';
import { startChildWorker, type ChildWorker } from '../support/child-worker.js';
import { historiesOf } from '../support/histories.js';
import { procedureOf } from '../support/procedure-source.js';
import { modelsPythonOr, type Python } from '../support/python.js';
import { startPythonWorker, type PythonWorker } from '../support/python-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';

/** A run takes a worker in TypeScript and one in Python: one of them is down, killed, and the other lives. */

const found = await modelsPythonOr('one worker of two');
const taskQueue = 'pair';
const marks = temporaryFolder('marks');
const folder = temporaryFolder('models');
let python: Python;
let server: TestServer;
let tactus: TactusClient;
let goesOn: ChildWorker;
let models: PythonWorker;

const startRuns = (): Promise<ChildWorker> =>
  startChildWorker({ address: server.env.address, taskQueue, filesRoot: folder });
const startModels = (): Promise<PythonWorker> =>
  startPythonWorker(
    python,
    server,
    ['--task-queue', `${taskQueue}-python`, '--models', folder, '--module', 'shop', '--grace', '1'],
    { cwd: import.meta.dirname },
  );

beforeAll(async () => {
  if (found === null) return;
  python = found.with({ MARKS: marks });
  server = await startDevServer();
  tactus = new TactusClient(server.client, { taskQueue, limits: { heartbeatMs: 1_000 } });
  [goesOn, models] = await Promise.all([startRuns(), startModels()]);
});
afterAll(async () => {
  await models?.end();
  await goesOn?.kill();
  await server?.stop();
});

const asked = (mark: string) =>
  tactus.start(
    procedureOf(
      `local slow = Model "slow" { type = "python" }
      local first = slow("${mark}")
      return { first, Model "all" { type = "python" }(4) }`,
    ),
  );
const isBegun = (mark: string): Promise<true> =>
  waitUntil(() => Promise.resolve(existsSync(join(marks, mark))));
const goOn = (mark: string): Promise<void> => writeFile(join(marks, `${mark}-go`), '');

/** Nobody goes on with the run, and who looks at it is told so. */
const isUnheard = (run: TactusRun): Promise<void> =>
  expect(viewRun(run, askingWithin(server.client, 3_000))).rejects.toMatchObject({ code: 'no_worker' });

describe.skipIf(found === null)('a run with models of Python', () => {
  it('has its answer recorded while its own worker is down, and goes on once there is one', async () => {
    const run = await asked('away');
    await isBegun('away');
    await goesOn.kill();
    await goOn('away');
    // Nobody has read it yet.
    await waitUntil(async () => (await run.handle.describe()).raw.pendingActivities?.length === 0);
    await isUnheard(run);
    goesOn = await startRuns();
    expect(await run.result()).toMatchObject([{ output: 'x' }, { output: 40 }]);
    expect([...activityAttempts(await historiesOf(server.client, run.runId)).values()]).toEqual([1, 1]);
  });

  it('says for what it waits while the worker in Python is down, and goes on once there is one', async () => {
    await models.end('SIGKILL');
    const run = await asked('back');
    await waitUntil(async () => (await viewRun(run)).unserved !== undefined);
    expect(await viewRun(run)).toMatchObject({
      status: 'running',
      unserved: [{ task_queue: `${taskQueue}-python` }],
      waits: [{ kind: 'activity', name: 'slow' }],
    });
    await goOn('back');
    models = await startModels();
    expect(await run.result()).toMatchObject([{ output: 'x' }, { output: 40 }]);
    expect(await viewRun(run)).not.toHaveProperty('unserved');
    expect([...activityAttempts(await historiesOf(server.client, run.runId)).values()]).toEqual([1, 1]);
  });

  it('needs both, in whatever order they come back', async () => {
    const run = await asked('both');
    await isBegun('both');
    await Promise.all([goesOn.kill(), models.end('SIGKILL')]);
    await goOn('both');
    models = await startModels();
    await isUnheard(run);
    goesOn = await startRuns();
    // Begun by two workers in Python, of which the second answered.
    expect(await run.result()).toMatchObject([{ output: 'xx' }, { output: 40 }]);
    expect([...activityAttempts(await historiesOf(server.client, run.runId)).values()]).toEqual([2, 1]);
  });
});
