import { afterEach, beforeEach, expect, it } from 'vitest';
import { createModelWorker } from '../../../src/worker/predictions/create-model-worker.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { viewRun } from '../../../src/client/runs/view-run.js';
import { historiesOf, scheduledOn, type History } from '../../support/histories.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;

beforeEach(async () => {
  worker = await startWorker(around.server, { activities: { env: around.env } });
});
afterEach(() => worker.stop());

const settings = { modelQueues: { openai: 'models-openai' } };

/** A worker for the queue, until what it is there for is done. */
async function served<T>(done: () => Promise<T>, concurrency = 10): Promise<T> {
  const { env } = around.server;
  const models = await createModelWorker({
    connection: env.nativeConnection,
    ...(env.namespace === undefined ? {} : { namespace: env.namespace }),
    ...{
      taskQueue: 'models-openai',
      concurrency,
      activities: { env: around.env, filesRoot: '.', procedureFolders: [] },
    },
    worker: { shutdownGraceTime: '100ms' },
  });
  return models.runUntil(done);
}

async function historyOf(run: TactusRun): Promise<History> {
  const [history = {}] = await historiesOf(around.server.client, run.runId);
  expect(await replayHistories([{ workflowId: run.runId, history }])).toEqual([]);
  return history;
}

it('calls of a provider go to the queue that the settings have for it, and long conversations with them', async () => {
  around.provider.reply(() => ({ text: 'well '.repeat(2_000) }));
  const source = procedureSource(`
    own = Agent { model = "gpt-5-mini" }
    other = Agent { model = "anthropic/claude-x", retries = 0 }
    Procedure { function() own(("a "):rep(3000)) own("b") return { ok = pcall(other, "c"), said = #own.history } end }`);
  const run = await around.server.tactus.start(source, {}, { settings });
  await waitUntil(
    async () => scheduledOn((await historiesOf(around.server.client, run.runId))[0] ?? {}).length > 0,
  );
  // Nobody is there for it: it waits.
  expect(around.provider.requests).toHaveLength(0);
  const { unserved } = await viewRun(run);
  expect(unserved).toMatchObject([{ task_queue: 'models-openai' }]);
  expect(Date.now() - Date.parse(unserved?.[0]?.since ?? '')).toBeLessThan(600_000);
  expect(await served(() => run.result())).toEqual({ ok: false, said: 4 });
  expect(await viewRun(run)).not.toHaveProperty('unserved');
  expect(around.provider.requests).toHaveLength(2);
  expect(scheduledOn(await historyOf(run))).toEqual([
    'modelCall on models-openai',
    'continuedModelCall on models-openai',
    'modelCall on tactus',
  ]);
});

it('as many are made at once as its worker takes', async () => {
  around.provider.reply(() => ({ text: 'well' }));
  const source = procedureSource(`
    own = Agent { model = "openai/gpt-x" }
    Procedure { function() return #Parallel.map({1, 2, 3, 4, 5, 6}, function(i) return own("n " .. i).text end) end }`);
  const run = await around.server.tactus.start(source, {}, { settings });
  expect(await served(() => run.result(), 1)).toBe(6);
  const times = ((await historyOf(run)).events ?? []).flatMap((event) => {
    const at = Number(event.eventTime?.seconds ?? 0) * 1_000 + (event.eventTime?.nanos ?? 0) / 1e6;
    if (event.activityTaskStartedEventAttributes != null) return [{ at, change: 1 }];
    return event.activityTaskCompletedEventAttributes == null ? [] : [{ at, change: -1 }];
  });
  let atOnce = 0;
  const most = times
    .sort((a, b) => a.at - b.at || a.change - b.change)
    .map(({ change }) => (atOnce += change));
  expect(Math.max(...most)).toBe(1);
});

it('runs with settings that are none are refused', async () => {
  const source = procedureSource('Procedure { function() return 1 end }');
  for (const modelQueues of [{ openai: '' }, { openai: 3 }, 'openai'])
    await expect(
      around.server.tactus
        .start(source, {}, { settings: { modelQueues } as never })
        .then((run) => run.result()),
    ).rejects.toMatchObject({
      code: 'usage',
    });
});
