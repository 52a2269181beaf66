import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reconcileIndex } from '../../src/client/reconcile-index.js';
import { catchUp } from '../../src/client/sweep-index.js';
import { freshenIndex } from '../../src/client/freshen-index.js';
import { TactusClient } from '../../src/client/tactus-client.js';
import { viewRun } from '../../src/client/view-run.js';
import { openRunIndex } from '../../src/read-model/open-run-index.js';
import type { IndexedRequest, IndexedRun, RunIndex } from '../../src/read-model/run-index.js';
import { startChildWorker, type ChildWorker } from '../support/child-worker.js';
import { procedureOf } from '../support/procedure-source.js';
import { seededRandom } from '../support/seeded-random.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../support/test-server.js';
import { startWorker, type TestWorker } from '../support/test-worker.js';
import { waitUntil } from '../support/wait-until.js';

/** An index says what the runs say, whatever became of the workers that fed it. */

const count = 200;
const ids = Array.from({ length: count }, (_, i) => `r${String(i).padStart(3, '0')}`);
const folder = temporaryFolder('index');
const path = join(folder, 'index.sqlite');
let server: TestServer;
let index: RunIndex;
let worker: ChildWorker | TestWorker | null = null;

beforeAll(async () => {
  server = await startDevServer();
  index = await openRunIndex(path);
});
afterAll(async () => {
  if (worker !== null) await ('kill' in worker ? worker.kill() : worker.stop());
  await index.close();
  await server.stop();
});

function child(): Promise<ChildWorker> {
  return startChildWorker({
    ...{ address: server.env.address, taskQueue: 'tactus', filesRoot: folder, index: path },
  });
}

const source = procedureOf(`
  Parallel {
    function() state.first = Human.approve("First?") end,
    function() state.second = Human.input("Second?") end,
  }
  if state.first then Human.approve("Third?") end
  if state.second == "fail" then error("as it was told") end
  return state.second`);

async function everything(): Promise<{ runs: IndexedRun[]; requests: IndexedRequest[] }> {
  const { items: runs } = await index.runs({ limit: 1_000 });
  const { items: requests } = await index.requests({ limit: 1_000 });
  return { runs, requests };
}

/** No worker has anything to do. */
async function isQuiet(): Promise<boolean> {
  const all = await Promise.all(ids.map((runId) => server.tactus.attach(runId).handle.describe()));
  return all.every(({ raw }) => (raw.pendingWorkflowTask ?? null) === null);
}

/** The index, run by run, is what each of them says. */
async function expectTruth(): Promise<void> {
  const { runs, requests } = await everything();
  expect(runs.map(({ run_id }) => run_id).sort()).toEqual(ids);
  for (const run of runs) {
    const view = await viewRun(server.tactus.attach(run.run_id));
    const { status, checkpoints, closed_at, error } = view;
    expect(run, run.run_id).toMatchObject({ status, closed_at });
    // What a run told last may have been lost with its worker: then it is left out.
    if (run.checkpoints !== undefined) expect(run.checkpoints, run.run_id).toBe(checkpoints);
    expect(run.error?.message, run.run_id).toBe(error?.message);
    const asked = requests.filter(({ run_id }) => run_id === run.run_id).map(({ id }) => id);
    expect(asked.sort(), run.run_id).toEqual(view.pending.map(({ id }) => id).sort());
  }
}

it(
  'is whole after answers, cancels, terminations and killed workers in any order',
  { timeout: 240_000 },
  async () => {
    const random = seededRandom(3);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    worker = await child();
    await Promise.all(ids.map((runId) => server.tactus.start(source, {}, { runId })));
    await waitUntil(async () => (await index.counts()).requests === 2 * count, 60_000);
    const { requests } = await everything();
    const order = [...ids].sort(() => random() - 0.5);
    for (const [i, runId] of order.entries()) {
      if (i === 60 || i === 130) {
        // With what it was just told, and hasn't written.
        await worker.kill();
        worker = await child();
      }
      const run = server.tactus.attach(runId);
      const what = pick(['first', 'both', 'fail', 'cancel', 'terminate', 'nothing']);
      const decide = (asked: string, value: string | boolean) => {
        const request = requests.find(({ run_id, message }) => run_id === runId && message === asked)?.id;
        return run.handle.signal('decide', { request, value });
      };
      if (what === 'cancel') await run.cancel();
      if (what === 'terminate') await run.terminate('no more');
      if (what === 'first') await decide('First?', true);
      if (what === 'both' || what === 'fail') {
        await decide('Second?', what);
        await decide('First?', what === 'both');
      }
    }
    await worker.kill();
    worker = await startWorker(server, { index });
    await waitUntil(isQuiet, 60_000);
    const asked: string[] = [];
    expect(await freshenIndex(server.client, index, { onAsked: (runId) => asked.push(runId) })).toEqual([]);
    await expectTruth();
    expect(await index.feeders()).toHaveLength(1);

    const { runs } = await everything();
    // Nothing has happened: nobody is asked.
    const again = await reconcileIndex(server.client, index);
    expect(again).toEqual({ runs: count, asked: 0, missing: [] });
    expect(asked.length).toBeLessThan(count);
    expect(runs.filter(({ checkpoints }) => checkpoints !== undefined).length).toBeGreaterThan(count / 2);
  },
);

it('notices what was terminated, and what began, without asking a run', async () => {
  const { runs } = await everything();
  const open = runs.find(({ status }) => status === 'waiting_for_human')?.run_id ?? '';
  const since = (await index.caughtUpAt()) ?? 0;
  await (worker as TestWorker).stop();
  worker = null;
  await server.tactus.attach(open).terminate('enough');
  await server.tactus.start(source, {}, { runId: 'new' });
  await waitUntil(async () => {
    await catchUp(server.client, index, since);
    return (await index.find(['new'])).length === 1;
  });
  await waitUntil(async () => {
    await catchUp(server.client, index, since);
    return (await index.find([open]))[0]?.status === 'terminated';
  });
  expect(await index.find([open])).toMatchObject([
    { isFinal: true, error: { message: `The run ${open} was terminated` } },
  ]);
  expect(await index.unsure(new Date())).toEqual(['new']);
});

it('is fed by a worker over continue-as-new, and refuses the runs of another namespace', async () => {
  const fed = await startWorker(server, { index });
  const long = procedureOf(`
    for i = 1, 4 do Sleep(0.01) end
    Human.approve("Go?")
    return 1`);
  const run = await server.tactus.start(long, {}, { runId: 'long', limits: { historyEvents: 10 } });
  await waitUntil(async () => (await index.requests({ runIds: ['long'], limit: 9 })).items.length === 1);
  const [request] = (await index.requests({ runIds: ['long'], limit: 9 })).items;
  await run.decide({ request: request?.id ?? '', value: true });
  await run.result();
  await waitUntil(async () => (await index.find(['long']))[0]?.isFinal === true);
  expect((await index.requests({ runIds: ['long'], limit: 9 })).items).toEqual([]);
  const tactus = new TactusClient(server.client, { index });
  const { source: whence, runs, next } = await tactus.list({ prefix: 'long', limit: 5 });
  expect([whence, runs.map(({ run_id, status }) => [run_id, status]), next]).toEqual([
    'index',
    [['long', 'completed']],
    null,
  ]);
  const page = await tactus.openRequests({ limit: 1, approver: 'anybody' });
  expect([page.requests.length, page.missing, page.next === null]).toEqual([1, [], false]);
  expect((await server.tactus.list({ prefix: 'long', limit: 5 })).source).toBe('runs');
  await expect(server.tactus.openRequests({ limit: 1 })).rejects.toMatchObject({ code: 'usage' });
  await fed.stop();
  const other = await openRunIndex(':memory:');
  await other.claim('someone else');
  await expect(freshenIndex(server.client, other)).rejects.toMatchObject({ code: 'config_invalid' });
  await other.close();
});
