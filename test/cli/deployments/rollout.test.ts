import type { WorkerOptions } from '@temporalio/worker';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eachLimit } from '../../../src/client/concurrency.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { sdkOptions, readWorkerSettings } from '../../../src/worker/settings.schema.js';
import { workflowBundlePath } from '../../../src/worker/bundles/workflow-bundle.js';
import { workflowType } from '../../../src/contract/names.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { cliFolder, type CliFolder, type Ended } from '../../support/cli-folder.js';
import { historiesOf } from '../../support/histories.js';
import { keptBundle } from '../../support/kept-bundle.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

/** Versions of workers side by side: what is ramped up, rolled back and refused, over runs that wait for people. */
const around = serverWithProvider();
let folder: CliFolder;
const workers: TestWorker[] = [];
const atOnce = 20;

/** A worker of a version; `settings` as in a configuration file. */
async function version(
  deployment: string,
  buildId: string,
  worker: Partial<WorkerOptions> = {},
  settings: Record<string, string | number> = {},
): Promise<TestWorker> {
  const read = readWorkerSettings({ deployment, build_id: buildId, ...settings }, {});
  const started = await startWorker(around.server, {
    taskQueue: deployment,
    activities: { env: around.env },
    worker: { ...sdkOptions(read), stickyQueueScheduleToStartTimeout: '500ms', ...worker },
    ...(read.gate_archives === undefined ? {} : { gateArchives: read.gate_archives }),
  });
  workers.push(started);
  return started;
}

/** A build whose runs call an activity that no history has. */
function brokenBundle(): NonNullable<WorkerOptions['workflowBundle']> {
  const path = join(temporaryFolder('broken'), 'workflow-bundle.js');
  writeFileSync(path, readFileSync(workflowBundlePath(), 'utf8').replaceAll(/\bmodelCall\b/g, 'mdlCall'));
  return { codePath: path };
}

const source = procedureSource(`
writer = Agent { model = "openai/gpt-x" }
function main()
  local text = writer("begin").output
  local said = Human.approve { message = "Go on?" }
  return { text = text, said = said }
end`);

async function start(deployment: string, ids: string[]): Promise<TactusRun[]> {
  const tactus = new TactusClient(around.server.client, { taskQueue: deployment });
  const runs: TactusRun[] = [];
  await eachLimit(ids, atOnce, async (runId) => {
    runs.push(await tactus.start(source, {}, { runId }));
  });
  await eachLimit(runs, atOnce, async (run) => {
    await pendingOf(run);
  });
  return runs;
}

async function requestOf(run: TactusRun): Promise<string> {
  const [request] = await pendingOf(run);
  return request?.id ?? '';
}

async function answer(runs: readonly TactusRun[]): Promise<void> {
  await eachLimit(runs, atOnce, async (run) => {
    await run.decide({ request: await requestOf(run), value: true });
  });
}

async function ended(runs: readonly TactusRun[]): Promise<void> {
  await eachLimit(runs, atOnce, async (run) => {
    expect(await run.result()).toMatchObject({ text: 'ready', said: true });
  });
}

const rollout = (deployment: string, ...args: string[]): Promise<Ended> =>
  folder.runHere(['rollout', '--deployment', deployment, '--json', ...args]);

/** One that takes its time. */
function begun(
  deployment: string,
  ...args: string[]
): { said: () => string; interrupt: () => void; ended: Promise<{ code: number | null; json: JsonObject }> } {
  const child = folder.start(['rollout', '--deployment', deployment, '--json', ...args]);
  let [said, out] = ['', ''];
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  return {
    said: () => said,
    interrupt: () => void child.kill('SIGINT'),
    ended: ended.then((code) => ({ code, json: JSON.parse(out) as JsonObject })),
  };
}

const ids = (name: string, from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `${name}-${from + index}`);

/** Builds that completed workflow tasks of a run. */
async function buildsOf(run: TactusRun): Promise<string[]> {
  const events = (await historiesOf(around.server.client, run.runId)).flatMap(({ events: all }) => all ?? []);
  return events.flatMap(
    ({ workflowTaskCompletedEventAttributes: task }) => task?.deploymentVersion?.buildId ?? [],
  );
}

beforeAll(() => {
  folder = cliFolder({ TEMPORAL_ADDRESS: around.server.env.address });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});
afterAll(() => folder.close());

describe('rollout', () => {
  it('ramps up, goes back and goes on over runs in flight: each ends, and each model is asked once', async () => {
    around.provider.reply(() => ({ text: 'ready' }));
    await version('orders', 'old', { workflowBundle: { codePath: keptBundle('0.9.0') } });
    const first = await rollout('orders', 'old', '--ramp', '100', '--pause', '0', '--no-gate');
    expect([first.code, first.json()]).toMatchObject([0, { status: 'current', previous: null }]);
    const before = await start('orders', ids('order', 0, 250));

    await version('orders', 'new', {}, { engine: 9 });
    const planned = await waitUntil(async () => {
      const dry = await rollout('orders', 'new', '--ramp', '50', '--dry-run');
      return dry.code === 0 && dry.json();
    });
    expect(planned).toMatchObject({ dry_run: true, build_id: 'new', previous: 'old', steps: [50, 100] });
    // Held at its first step until runs were begun and answered on both.
    const ramped = begun('orders', 'new', '--ramp', '50', '--pause', '10m');
    await waitUntil(() => Promise.resolve(ramped.said().includes('50 % of the runs go to new')));
    expect(ramped.said()).toMatch(/The gate has passed on orders: \d+ histories replay with new/);
    const during = await start('orders', ids('order', 250, 500));
    await answer([...before.slice(0, 60), ...during.slice(0, 60)]);
    await ended([...before.slice(0, 60), ...during.slice(0, 60)]);
    const builds = new Set((await Promise.all(during.slice(0, 30).map(buildsOf))).flat());
    expect([...builds].sort()).toEqual(['new', 'old']);
    ramped.interrupt();
    expect(await ramped.ended).toMatchObject({
      code: 130,
      json: { status: 'interrupted', steps: [{ percentage: 50 }] },
    });
    const back = await rollout('orders', '--back', '--dry-run');
    expect(back.json()).toMatchObject({ dry_run: true, build_id: 'new', previous: 'old' });

    expect((await rollout('orders', '--back')).json()).toMatchObject({ build_id: 'new', previous: 'old' });
    // The new one never had all runs: there is nothing further back.
    expect((await rollout('orders', '--back')).json()).toMatchObject({ error: { code: 'change_refused' } });
    // What began on the new version goes on with the old one.
    await answer([...before.slice(60, 120), ...during.slice(60, 120)]);
    await ended([...before.slice(60, 120), ...during.slice(60, 120)]);

    const second = await rollout('orders', 'new', '--ramp', '20', '--pause', '1s', '--gate-runs', '50');
    expect([second.code, second.json()]).toMatchObject([
      0,
      { status: 'current', previous: 'old', steps: [{ percentage: 20 }, { percentage: 100 }], stuck: [] },
    ]);
    const [{ replayed }] = second.json()['gate'] as [{ replayed: number }];
    expect(replayed).toBe(100);
    await Promise.all([answer(before.slice(120)), answer(during.slice(120))]);
    await ended([...before.slice(120), ...during.slice(120)]);
    expect(await buildsOf(before[249] as TactusRun)).toEqual(expect.arrayContaining(['old', 'new']));
    expect(around.provider.requests).toHaveLength(500);
  }, 300_000);

  it('refuses a build that breaks a history, on the server or in an archive, and takes back what gets stuck', async () => {
    around.provider.reply(() => ({ text: 'ready' }));
    await version('bills', 'good');
    await rollout('bills', 'good', '--ramp', '100', '--pause', '0');
    const runs = await start('bills', ids('bill', 0, 6));

    await version('bills', 'broken', { workflowBundle: brokenBundle() });
    const refused = await rollout('bills', 'broken', '--pause', '0');
    expect(refused.code).toBe(1);
    const { error } = refused.json() as { error: { code: string; message: string } };
    expect(error.code).toBe('build_refused');
    expect(error.message).toMatch(
      /^6 of 6 histories don't replay with this build: bill-\d .*its history doesn't fit/,
    );
    // Nothing was routed.
    await answer(runs.slice(0, 2));
    await ended(runs.slice(0, 2));
    expect(await buildsOf(runs[0] as TactusRun)).not.toContain('broken');

    const asked = await Promise.all(
      runs.slice(2, 4).map(async (run) => ({ run, request: await requestOf(run) })),
    );
    const taking = begun('bills', 'broken', '--no-gate', '--ramp', '100', '--pause', '2m');
    await waitUntil(() => Promise.resolve(taking.said().includes('All runs go to broken')));
    await Promise.all(asked.map(({ run, request }) => run.handle.signal('decide', { request, value: true })));
    const taken = await taking.ended;
    expect(taken).toMatchObject({ code: 1, json: { status: 'rolled_back', previous: 'good' } });
    const stuck = (taken.json['stuck'] as { run_id: string }[]).map(({ run_id: id }) => id);
    expect(stuck.length).toBeGreaterThan(0);
    expect(asked.map(({ run }) => run.runId)).toEqual(expect.arrayContaining(stuck));
    // What was stuck goes on by itself.
    await ended(runs.slice(2, 4));

    // Of a namespace without runs, archives are what tells.
    const archives = join(folder.path, 'archives');
    mkdirSync(archives);
    const kept = await folder.runHere(['archive', 'bill-5', '--out', join(archives, 'bill-5.archive')]);
    expect(kept.code, kept.stderr).toBe(0);
    await version('fresh', 'sound', {}, { gate_archives: archives });
    // It has nothing to replay, and isn't waited for.
    const { workflow } = around.server.client;
    const later = await workflow.start(workflowType, {
      ...{ args: [{ procedure: source, input: {} }], workflowId: 'later', startDelay: '1 day' },
      taskQueue: 'fresh',
    });
    await waitUntil(async () => (await workflow.count("TaskQueue = 'fresh'")).count === 1);
    expect((await rollout('fresh', 'sound', '--ramp', '100', '--pause', '0')).json()).toMatchObject({
      status: 'current',
      gate: [{ task_queue: 'fresh', replayed: 1, problems: [] }],
    });
    await version('fresh', 'unsound', { workflowBundle: brokenBundle() }, { gate_archives: archives });
    expect((await rollout('fresh', 'unsound', '--pause', '0')).json()).toMatchObject({
      error: { code: 'build_refused', message: expect.stringContaining('bill-5') as string },
    });
    writeFileSync(join(archives, 'notes.txt'), 'no archive');
    expect((await rollout('fresh', 'unsound', '--pause', '0')).json()).toMatchObject({
      error: { message: expect.stringMatching(/^worker.gate_archives: notes.txt can't be read/) as string },
    });
    await later.terminate();
    await answer(runs.slice(4));
    await ended(runs.slice(4));
  }, 300_000);

  it('ends where somebody else takes the runs back meanwhile, and leaves it so', async () => {
    await version('shared', 'old');
    await rollout('shared', 'old', '--ramp', '100', '--pause', '0', '--no-gate');
    await version('shared', 'new');
    const ramped = begun('shared', 'new', '--no-gate', '--ramp', '10,50', '--pause', '4s');
    await waitUntil(() => Promise.resolve(ramped.said().includes('10 % of the runs go to new')));
    expect((await rollout('shared', '--back')).json()).toMatchObject({ status: 'rolled_back' });
    const { code, json } = await ramped.ended;
    expect([code, json]).toMatchObject([
      2,
      {
        error: {
          code: 'change_refused',
          message:
            'Somebody else has routed runs of shared meanwhile: its current version is old. Nothing was changed',
        },
      },
    ]);
    const { workflowService, options } = around.server.client;
    const { workerDeploymentInfo: info } = await workflowService.describeWorkerDeployment({
      ...{ namespace: options.namespace, deploymentName: 'shared' },
    });
    expect(info?.routingConfig).toMatchObject({ currentDeploymentVersion: { buildId: 'old' } });
    expect(info?.routingConfig?.rampingDeploymentVersion ?? null).toBeNull();
  }, 120_000);

  it('says what is wrong: no such version, a worker without a gate, percentages, nothing to go back to', async () => {
    await version('lone', 'only', { workflowBundle: { codePath: keptBundle('0.9.0') } });
    const noGate = await rollout('lone', 'only', '--pause', '0');
    expect(noGate.json()).toMatchObject({
      error: {
        code: 'build_refused',
        message: expect.stringMatching(/^Its worker can't run the gate: .*tactusGate/) as string,
      },
    });
    expect((await rollout('lone', '--back')).json()).toMatchObject({ error: { code: 'change_refused' } });
    for (const [args, problem] of [
      [['only', '--ramp', '50,10'], '--ramp takes rising percentages'],
      [['only', '--gate-runs', '5000'], '--gate-runs takes a number up to 1000'],
      [[], 'rollout needs the build id'],
      [['only', '--back'], '--back takes no build id'],
    ] as const) {
      const wrong = await rollout('lone', ...args);
      expect([wrong.code, wrong.json()]).toMatchObject([
        2,
        { error: { code: 'usage', message: expect.stringContaining(problem) as string } },
      ]);
    }
    const nobody = await rollout('nobody', '--back');
    expect([nobody.code, nobody.json()]).toMatchObject([4, { error: { code: 'no_worker' } }]);
  }, 120_000);
});
