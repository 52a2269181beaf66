import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/activities/tools/define-tool.js';
import type { ActivityDeps } from '../../../src/activities/index.js';
import { viewRun } from '../../../src/client/runs/view-run.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { createModelWorker } from '../../../src/worker/predictions/create-model-worker.js';
import { historiesOf, scheduledOn } from '../../support/histories.js';
import { Mine } from '../../support/mine.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;
let mine: Mine;
let done: string[];
/** How many calls of `look` are under way, and were at most. */
let atOnce: number;
let most: number;

const charge = defineTool({
  name: 'charge_card',
  description: 'Charges a card',
  input: z.object({ cents: z.number() }),
  effect: 'once',
  execute: ({ cents }) => {
    done.push(`charged ${cents}`);
    return { charged: cents };
  },
});
const look = defineTool({
  name: 'look',
  description: 'Looks at a thing',
  input: z.object({ thing: z.number() }),
  effect: 'pure',
  execute: async ({ thing }) => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 20));
    atOnce--;
    return thing;
  },
});

const deps = (): ActivityDeps => ({
  ...{ env: around.env, filesRoot: '/nonexistent', procedureFolders: [] },
  ...{ tools: [charge, look], mcpServers: { mine: mine.overStdio } },
});

beforeEach(async () => {
  [done, atOnce, most] = [[], 0, 0];
  mine = new Mine(temporaryFolder('tool-queues'));
  worker = await startWorker(around.server, { activities: deps() });
});
afterEach(() => worker.stop());

const start = (body: string, toolQueues: Record<string, string>): Promise<TactusRun> =>
  around.server.tactus.start(procedureOf(body), {}, { settings: { toolQueues } });

/** A worker for a queue, until what it is there for is done. */
async function served<T>(taskQueue: string, work: () => Promise<T>, concurrency = 10): Promise<T> {
  const { env } = around.server;
  const calls = await createModelWorker({
    connection: env.nativeConnection,
    ...(env.namespace === undefined ? {} : { namespace: env.namespace }),
    ...{ taskQueue, concurrency, activities: deps(), worker: { shutdownGraceTime: '100ms' } },
  });
  return calls.runUntil(work);
}

async function scheduled(run: TactusRun): Promise<string[]> {
  return (await historiesOf(around.server.client, run.runId)).flatMap(scheduledOn);
}

describe('calls of a tool', () => {
  it('wait for the queue that the settings name, and are made there once', async () => {
    const run = await start(
      `local charge = Tool { use = "host.charge_card" }
       local look = Tool { use = "host.look" }
       return { look({ thing = 3 }), charge({ cents = 5 }).charged }`,
      { 'charge_*': 'till' },
    );
    const { unserved } = await waitUntil(async () => {
      const view = await viewRun(run);
      return view.unserved !== undefined && view;
    });
    expect(unserved).toMatchObject([{ task_queue: 'till' }]);
    expect(done).toEqual([]);
    expect(await served('till', () => run.result())).toEqual([3, 5]);
    expect(done).toEqual(['charged 5']);
    // The list of tools comes from the workers of the run.
    expect((await scheduled(run)).filter((each) => each !== 'listTools on tactus')).toEqual([
      'callTool on tactus',
      'callTool on till',
    ]);
    expect(await replayRun(around.server.client, run)).toEqual([]);
  });

  it('go by the name of the tool rather than by a pattern, and by the longest pattern', async () => {
    const run = await start(
      `local charge, look = Tool { use = "host.charge_card" }, Tool { use = "host.look" }
       look({ thing = 1 }) charge({ cents = 1 })`,
      { '*': 'all', 'host.*': 'host', 'host.charge*****': 'long', charge_card: 'named' },
    );
    await served('host', () => served('named', () => run.result()));
    expect((await scheduled(run)).filter((each) => each.startsWith('callTool'))).toEqual([
      'callTool on host',
      'callTool on named',
    ]);
  });

  it('are made at once as many as its worker takes, of all branches and of a model', async () => {
    around.provider.reply(
      {
        toolCalls: [1, 2, 3].map((thing) => ({
          ...{ id: `c${thing}`, name: 'look', arguments: JSON.stringify({ thing }) },
        })),
      },
      { text: 'seen' },
    );
    const run = await start(
      `local look = Tool { use = "host.look" }
       local all = Parallel.map({ 4, 5, 6, 7 }, function(thing) return look({ thing = thing }) end)
       return { all, Agent { model = "openai/gpt-x", tools = { "host.look" } }("Look").output }`,
      { look: 'eyes' },
    );
    expect(await served('eyes', () => run.result(), 1)).toEqual([[4, 5, 6, 7], 'seen']);
    expect(most).toBe(1);
  });

  it('are held with their queue', async () => {
    const { tactus } = around.server;
    const run = await start(
      'local look = Tool { use = "host.look" } Event.wait("go") return look({ thing = 2 })',
      { look: 'eyes' },
    );
    await tactus.holds.add('queue:eyes', { reason: 'closed' });
    await run.send('go', true);
    await served('eyes', async () => {
      await waitUntil(async () => (await run.status()).waits.some(({ hold }) => hold === 'queue:eyes'));
      await tactus.holds.release('queue:eyes');
      expect(await run.result()).toBe(2);
    });
    expect(await replayRun(around.server.client, run)).toEqual([]);
  });
});

it('go there from child runs, and after continue-as-new', async () => {
  const run = await around.server.tactus.start(
    procedureOf(
      `local look = Tool { use = "host.look" }
       local all = {}
       for i = 1, 30 do all[i] = look({ thing = i }) end
       return { #all, Procedure.run("child") }`,
      { 'child.tac': 'Procedure { function() return Tool { use = "host.look" }({ thing = 7 }) end }' },
    ),
    {},
    { settings: { toolQueues: { look: 'eyes' } }, limits: { historyEvents: 60 } },
  );
  expect(await served('eyes', () => run.result())).toEqual([30, 7]);
  const histories = await historiesOf(around.server.client, run.runId);
  expect(histories.length).toBeGreaterThan(1);
  const calls = histories.flatMap(scheduledOn).filter((each) => each.startsWith('callTool'));
  expect(calls).toEqual(Array.from({ length: 30 }, () => 'callTool on eyes'));
  const child = (await run.log()).execution_log.at(-1);
  const ofChild = (await historiesOf(around.server.client, `${run.runId}/${child?.position}`)).flatMap(
    scheduledOn,
  );
  expect(ofChild).toContain('callTool on eyes');
});

describe('a call that becomes a task', () => {
  it('is followed where it was made', async () => {
    const run = await start('return mcp.mine.dig({ deep = 1 })', { 'mine.*': 'mine' });
    await served('mine', async () => {
      await mine.wasAsked('tasks/get');
      mine.become({ status: 'completed', result: { content: [{ type: 'text', text: 'gold' }] } });
      expect(await run.result()).toBe('gold');
    });
    expect((await scheduled(run)).filter((each) => !each.startsWith('listTools'))).toEqual([
      'callTool on mine',
      'followTask on mine',
    ]);
    expect(mine.asked('tools/call')).toHaveLength(1);
    expect(await replayRun(around.server.client, run)).toEqual([]);
  });

  it('is dropped there too, where its run ends while a person is asked', async () => {
    const run = await start('return mcp.mine.dig({ deep = 2 })', { 'mine.*': 'mine' });
    await served('mine', async () => {
      await pendingOf(run);
      await run.cancel();
      await expect(run.result()).rejects.toThrow();
    });
    expect((await scheduled(run)).at(-1)).toBe('dropTask on mine');
    expect(mine.asked('tasks/cancel')).toHaveLength(1);
    expect(await replayRun(around.server.client, run)).toEqual([]);
  });
});

it('runs with settings that are none are refused', async () => {
  for (const toolQueues of [{ look: '' }, { look: 3 }, 'look'])
    await expect(start('return 1', toolQueues as never).then((run) => run.result())).rejects.toMatchObject({
      code: 'usage',
    });
});
