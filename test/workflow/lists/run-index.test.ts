import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { checkIndex, freshenIndex, reconcileIndex } from '../../../src/client/lists/reconcile-index.js';
import { catchUp } from '../../../src/client/lists/sweep-index.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import { viewRun } from '../../../src/client/runs/view-run.js';
import { openRunIndex } from '../../../src/read-model/open-run-index.js';
import type { IndexedRequest, IndexedRun, RunIndex } from '../../../src/read-model/run-index.js';
import { startChildWorker, type ChildWorker } from '../../support/child-worker.js';
import { procedureOf } from '../../support/procedure-source.js';
import { seededRandom } from '../../support/seeded-random.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { aRequest, aServerRun, aToldRun } from '../../support/told-run.js';
import { waitUntil } from '../../support/wait-until.js';

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

it('is put right in whatever time it takes, though who asked first has less', async () => {
  const { workflowService } = server.client;
  await index.enter({ id: 'dead', host: hostname(), pid: 2 ** 22 + 1, seenAt: Date.now() });
  const ask = workflowService.getWorkflowExecutionHistoryReverse.bind(workflowService);
  const slowly = vi.spyOn(workflowService, 'getWorkflowExecutionHistoryReverse');
  slowly.mockImplementation(async (asked: Parameters<typeof ask>[0]) => {
    await delay(150);
    return ask(asked);
  });
  try {
    const tactus = new TactusClient(server.client, { index });
    const listed = server.client.withDeadline(Date.now() + 500, () => tactus.list({ limit: 5 }));
    expect((await listed).runs).toHaveLength(5);
    expect(slowly.mock.calls.length).toBeGreaterThan(50);
    expect((await index.feeders()).map(({ id }) => id)).not.toContain('dead');
  } finally {
    slowly.mockRestore();
  }
});

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

it("reads the server's list once, as long as nothing begins or ends", async () => {
  const since = (await index.caughtUpAt()) ?? 0;
  const lists = vi.spyOn(server.client.workflowService, 'listWorkflowExecutions');
  try {
    // The first may take over what is new, and the second begins where that ended.
    for (let i = 0; i < 3; i++) await catchUp(server.client, index, (await index.caughtUpAt()) ?? 0);
    const before = lists.mock.calls.length;
    expect(before).toBeGreaterThan(0);
    for (let i = 0; i < 3; i++) await catchUp(server.client, index, (await index.caughtUpAt()) ?? 0);
    expect(lists.mock.calls.length).toBe(before);
    // What begins then, and what ends, is news.
    const run = await server.tactus.start(source, {}, { runId: 'later' });
    await waitUntil(async () => {
      await catchUp(server.client, index, since);
      return (await index.find(['later'])).length === 1;
    });
    await run.terminate('enough');
    await waitUntil(async () => {
      await catchUp(server.client, index, (await index.caughtUpAt()) ?? 0);
      return (await index.find(['later']))[0]?.isFinal === true;
    });
  } finally {
    lists.mockRestore();
  }
});

it("forgets what the server hasn't got any more, and finds an end that its list had too late, by numbers", async () => {
  const { runs } = await everything();
  const ended = runs.find(({ status }) => status === 'waiting_for_human')?.run_id ?? '';
  await server.tactus.attach(ended).terminate('enough');
  // A server deletes in its own time, a minute later: to the index it is the same as if it had never had them.
  const gone = {
    ...aServerRun('closed-and-deleted'),
    status: 'completed',
    closed_at: '2026-01-01T00:00:00.000Z',
  } as const;
  const pending = [aRequest('open-and-deleted', '0')];
  const forgotten = async (): Promise<boolean> =>
    (await index.find(['closed-and-deleted', 'open-and-deleted'])).length === 0;
  // All of it lies behind what is looked at to catch up.
  const hourMs = 3_600_000;
  await index.setCaughtUp(Date.now() + hourMs);
  const now = Date.now.bind(Date);
  const later = vi.spyOn(Date, 'now').mockImplementation(() => now() + hourMs);
  try {
    await waitUntil(async () => {
      await checkIndex(server.client, index);
      return (await index.find([ended]))[0]?.isFinal === true;
    });
    await index.write([{ kind: 'closed', run: { ...gone, error: null } }]);
    await checkIndex(server.client, index);
    expect(await forgotten()).toBe(true);
    await index.write([{ kind: 'told', run: aToldRun('open-and-deleted', 3, { pending }) }]);
    await checkIndex(server.client, index);
    expect([
      await forgotten(),
      (await everything()).requests.some(({ id }) => id === 'open-and-deleted/0'),
    ]).toEqual([true, false]);
  } finally {
    later.mockRestore();
  }
  expect(await index.find([ended])).toMatchObject([
    { status: 'terminated', closed_at: expect.any(String) as string },
  ]);
  // By the server's clock, and not by that of whoever looked.
  expect(await index.caughtUpAt()).toBeLessThan(Date.now());
});

it('follows requests through votes, to others, and until they are taken back', async () => {
  const fed = await startWorker(server, { index });
  const run = await server.tactus.start(
    procedureOf(`
      Parallel {
        function() Human.approve{ message = "Votes?", approvers = {"ann", "bob"}, quorum = 2 } end,
        function() Human.approve{ message = "Handed on?", approvers = {"ann"} } end,
        function()
          Human.approve{ message = "Next?", approvers = {"ann"}, timeout = 1, escalate_to = {{to = "cfo", timeout = "1d"}} }
        end,
        function() pcall(Human.approve, { message = "Taken back?", approvers = {"ann"}, requester = "zoe" }) end,
      }`),
    {},
    { runId: 'policies' },
  );
  const asked = async (filter: object = {}): Promise<IndexedRequest[]> =>
    (await index.requests({ runIds: ['policies'], limit: 9, ...filter })).items;
  const idOf = async (text: string): Promise<string> => (await asked({ text }))[0]?.id ?? '';
  await waitUntil(async () => (await asked()).length === 4);
  const common = { value: null, by: 'ann' } as const;
  await run.decide({ request: await idOf('votes'), ...common, value: true });
  await run.decide({ request: await idOf('handed'), ...common, action: 'delegate', to: 'eve' });
  await run.decide({ request: await idOf('taken'), value: null, by: 'zoe', action: 'withdraw' });
  await waitUntil(async () => (await asked({ approver: 'cfo' })).length === 1);
  await waitUntil(async () => (await asked()).length === 3);
  const messages = async (approver: string): Promise<string[]> =>
    (await asked({ approver })).map(({ message }) => message).sort();
  expect(await messages('ann')).toEqual(['Next?', 'Votes?']);
  expect(await messages('eve')).toEqual(['Handed on?']);
  expect((await asked({ text: 'votes' }))[0]?.votes).toMatchObject([{ by: 'ann', value: true }]);
  const byPosition = (requests: readonly { position: string }[]) =>
    requests.map(({ position, ...rest }) => [position, rest]).sort();
  const shown = (await asked()).map(({ procedure: _, ...request }) => request);
  expect(byPosition(shown)).toEqual(byPosition(await run.pending()));
  await run.terminate('enough');
  await fed.stop();
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
  const counts = vi.spyOn(server.client.workflowService, 'countWorkflowExecutions');
  for (let i = 0; i < 30; i++) await tactus.list({ limit: 5 });
  // A server takes few of these in a second, and makes who asks more wait.
  expect(counts.mock.calls.length).toBeLessThan(15);
  counts.mockRestore();
  expect((await server.tactus.list({ prefix: 'long', limit: 5 })).source).toBe('runs');
  await expect(server.tactus.openRequests({ limit: 1 })).rejects.toMatchObject({ code: 'usage' });
  await fed.stop();
  const other = await openRunIndex(':memory:');
  await other.claim('someone else');
  await expect(freshenIndex(server.client, other)).rejects.toMatchObject({ code: 'config_invalid' });
  await other.close();
});
