import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { McpServerConfig } from '../../../src/contract/tools/tool-servers.js';
import { startChildWorker } from '../../support/child-worker.js';
import { historiesOf } from '../../support/histories.js';
import { Mine } from '../../support/mine.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
/** A dead worker is noticed after this time, in ms. */
const heartbeatMs = 1_000;
const dug = { content: [{ type: 'text', text: 'gold' }] };

let folder: string;
let mine: Mine;
/** A queue of its own for each test: what one leaves behind is nothing to the others. */
let taskQueue: string;
let workers: TestWorker[];

beforeEach(async (context) => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-tasks-'));
  mine = new Mine(folder);
  taskQueue = context.task.id;
  workers = [];
});
afterEach(async () => {
  await Promise.all(workers.map((each) => each.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function work(config: McpServerConfig = mine.overStdio): Promise<TestWorker> {
  const activities = { env: around.env, mcpServers: { mine: config } };
  const worker = await startWorker(around.server, { taskQueue, activities });
  workers.push(worker);
  return worker;
}

function start(body: string): Promise<TactusRun> {
  const tactus = new TactusClient(around.server.client, { taskQueue });
  return tactus.start(procedureOf(body), {}, { limits: { heartbeatMs } });
}

/** What a call gives, or why it gives nothing. */
const tried = (call: string): string => `local ok, what = pcall(${call}) return { ok, tostring(what) }`;
const dig = (deep: number): string => tried(`mcp.mine.dig, { deep = ${deep} }`);

async function answer(request: HumanRequest | undefined, value: JsonValue): Promise<string> {
  const { outcome } = await around.server.tactus.decide({ request: request?.id ?? '', value });
  return outcome;
}

async function expectReplay(run: TactusRun): Promise<void> {
  const histories = await historiesOf(around.server.client, run.runId);
  const named = histories.map((history) => ({ workflowId: run.runId, history }));
  expect(await replayHistories(named)).toEqual([]);
}

describe('a call of a tool that becomes a task', () => {
  it('is followed until it has a result', async () => {
    await work();
    const run = await start(dig(1));
    await mine.wasAsked('tasks/get', 2);
    mine.become({ status: 'completed', result: dug });
    expect(await run.result()).toEqual([true, 'gold']);
    expect(mine.asked('tools/call')).toEqual([{ method: 'tools/call', name: 'dig', deep: 1, isTask: true }]);
    expect(mine.asked('tasks/cancel')).toEqual([]);
    await expectReplay(run);
  });

  it('is followed over HTTP, with the task named in a header', async () => {
    const { config, stop } = await mine.overHttp();
    try {
      await work(config);
      const run = await start(dig(1));
      await mine.wasAsked('tasks/get', 2);
      const [id] = Object.keys(mine.tasks);
      mine.become({ status: 'completed', result: dug });
      expect(await run.result()).toEqual([true, 'gold']);
      expect(mine.asked('http')).toContainEqual({ method: 'http', name: id });
    } finally {
      stop();
    }
  });

  it('is given to an agent as any other', async () => {
    around.provider.reply(
      { toolCalls: [{ id: 'c', name: 'mine_dig', arguments: '{"deep": 1}' }] },
      { text: 'it was dug' },
    );
    await work();
    const run = await start('return Agent { model = "openai/gpt-x", tools = { "mcp.mine" } }("Dig").output');
    await mine.wasAsked('tasks/get');
    mine.become({ status: 'completed', result: dug });
    expect(await run.result()).toBe('it was dug');
    const messages = around.provider.requests[1]?.body['messages'] as { role: string; content: string }[];
    expect(messages.at(-1)).toMatchObject({ role: 'tool' });
    expect(messages.at(-1)?.content).toContain('gold');
  });

  it('is called once though the worker that follows it is killed', async () => {
    const tools = { module: null, mcpServers: { mine: mine.overStdio } };
    const { address } = around.server.env;
    const first = await startChildWorker({ address, taskQueue, filesRoot: '/nonexistent', tools });
    const run = await start(dig(1));
    await mine.wasAsked('tasks/get', 2);
    await first.kill();
    const before = mine.asked('tasks/get').length;
    await work();
    await mine.wasAsked('tasks/get', before + 1);
    mine.become({ status: 'completed', result: dug });
    expect(await run.result()).toEqual([true, 'gold']);
    expect(mine.asked('tools/call')).toHaveLength(1);
    await expectReplay(run);
  });

  it('is called once though the worker shuts down, and is not given up for that', async () => {
    const first = await work();
    const run = await start(dig(1));
    await mine.wasAsked('tasks/get', 2);
    await first.stop();
    mine.become({ status: 'completed', result: dug });
    await work();
    expect(await run.result()).toEqual([true, 'gold']);
    expect(mine.asked('tools/call')).toHaveLength(1);
    expect(mine.asked('tasks/cancel')).toEqual([]);
  });
});

describe('a task that asks people', () => {
  it('has each question answered once, and goes on', async () => {
    const first = await work();
    const run = await start(dig(2));
    const [where] = await pendingOf(run);
    expect(where).toMatchObject({ kind: 'input', message: 'mcp.mine.dig asks: Where is it dug?' });
    expect(await answer(where, { place: 1 })).toBe('invalid');
    // Worker and server are other ones by the time of the answer.
    await first.stop();
    await work();
    expect(await answer(where, { place: 'the hill' })).toBe('accepted');
    const [sure] = await pendingOf(run);
    expect(sure?.message).toBe('mcp.mine.dig asks: Is it sure?');
    expect(await answer(sure, { sure: true })).toBe('accepted');
    expect(await run.result()).toEqual([true, 'dug at the hill: true']);
    const given = mine.asked('tasks/update').map(({ inputResponses }) => inputResponses);
    expect(given).toEqual([
      { where: { action: 'accept', content: { place: 'the hill' } } },
      { sure: { action: 'accept', content: { sure: true } } },
    ]);
    expect(mine.asked('tools/call')).toHaveLength(1);
    await expectReplay(run);
  });

  it('may be left', async () => {
    await work();
    const run = await start(dig(2));
    await answer((await pendingOf(run))[0], 'decline');
    expect(await run.result()).toEqual([false, expect.stringContaining('left')]);
  });
});

describe('a task that comes to nothing', () => {
  it.each([
    ['fails', { status: 'failed', error: { code: -32603, message: 'flooded' } }, 'the task failed: flooded'],
    [
      'is cancelled',
      { status: 'cancelled', statusMessage: 'closed' },
      'the server cancelled the task: closed',
    ],
    ['says of itself that it failed', { status: 'completed', result: { ...dug, isError: true } }, 'gold'],
  ])('%s: the call has failed', async (_how, state, why) => {
    await work();
    const run = await start(dig(1));
    await mine.wasAsked('tasks/get');
    mine.become(state);
    expect(await run.result()).toEqual([false, expect.stringContaining(why)]);
  });

  it('has expired: nobody knows of a call that is done once alone, and a person says', async () => {
    await work();
    const run = await start(dig(1));
    await mine.wasAsked('tasks/get');
    mine.become(null);
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({
      message: 'Nobody knows whether mcp.mine.dig was done. Was it?',
      context: { problem: 'mcp.mine.dig: the server knows its task no more: Task has expired' },
    });
    // Then it is another task.
    const before = mine.asked('tasks/get').length;
    await answer(request, 'not_done');
    await mine.wasAsked('tasks/get', before + 1);
    mine.become({ status: 'completed', result: dug });
    expect(await run.result()).toEqual([true, 'gold']);
    expect(mine.asked('tools/call')).toHaveLength(2);
  });

  it('has expired: a call that only reads has failed', async () => {
    await work();
    const run = await start(tried('mcp.mine.survey, { deep = 1 }'));
    await mine.wasAsked('tasks/get');
    mine.become(null);
    expect(await run.result()).toEqual([false, expect.stringContaining('the server knows its task no more')]);
    expect(mine.asked('tools/call')).toHaveLength(1);
  });
});

describe('the server is told that nobody wants a task any more', () => {
  it.each(['cancel', 'terminate'] as const)('where a run that follows it is to %s', async (how) => {
    await work();
    const run = await start(dig(1));
    await mine.wasAsked('tasks/get');
    await (how === 'cancel' ? run.cancel() : run.handle.terminate());
    await expect(run.result()).rejects.toThrow();
    await mine.wasAsked('tasks/cancel');
  });

  it('where a run ends that waits for a person', async () => {
    await work();
    const run = await start(dig(2));
    await pendingOf(run);
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    expect(mine.asked('tasks/cancel')).toHaveLength(1);
    await expectReplay(run);
  });

  it('where a branch is given up that waits for a person', async () => {
    await work();
    const run = await start(`
      pcall(Parallel, {
        function() return mcp.mine.dig({ deep = 2 }) end,
        function() Event.wait("enough") error("enough") end,
      })
      Human.approve("Go on?")`);
    await pendingOf(run);
    await run.send('enough', true);
    await mine.wasAsked('tasks/cancel');
    const pending = await pendingOf(run);
    expect(pending.map(({ message }) => message)).toEqual(['Go on?']);
    await answer(pending[0], true);
    await run.result();
    expect(mine.asked('tasks/cancel')).toHaveLength(1);
    await expectReplay(run);
  });
});
