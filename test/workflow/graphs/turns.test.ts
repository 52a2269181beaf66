import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readGraphState } from '../../../src/client/graphs/graph-state.js';
import { MemoryStorage } from '../../../src/client/storage/memory-storage.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { hasCode } from '../../../src/contract/errors.js';
import { startApi } from '../../support/api-server.js';
import { startReceiver, type MessageReceiver } from '../../support/message-receiver.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

let server: TestServer;
let worker: TestWorker;
let receiver: MessageReceiver;
const storage = new MemoryStorage();
beforeAll(async () => {
  server = await startDevServer();
  receiver = await startReceiver();
  const outbox = { note: { url: `${receiver.url}/note` } };
  worker = await startWorker(server, { activities: { outbox }, storage });
});
afterAll(async () => {
  await worker.stop();
  await receiver.close();
  await server.stop();
});

const sourceOf = (text: string) => ({ entry: 'main.tac', files: { 'main.tac': text } });

/** Hears what it is told, and does as it is told. */
const chat = sourceOf(`
  main = Graph {
    channels = { heard = Graph.append, said = Graph.last, tell = Graph.last },
    entrypoint = "hear",
    nodes = {
      hear = function(state)
        local n = #state.heard
        if state.tell == "wait" then return { writes = { said = Graph.interrupt("sure?", { n = n }) } } end
        if state.tell == "fail" then error("no") end
        return {
          writes = { said = n .. " heard" },
          ledger = { { topic = "heard", key = "k" .. n, data = { n = n } } },
          intents = state.tell == "send" and { { type = "note", payload = { n = n } } } or {},
          next = "again",
        }
      end,
      again = function() return {} end,
    },
  }`);

/** As the retention of a namespace does, execution by execution. */
async function deleteRun(id: string): Promise<void> {
  const { workflowService, workflow } = server.client;
  const isThere = async (): Promise<boolean> => {
    try {
      const { runId: execution } = await workflow.getHandle(id).describe();
      const workflowExecution = { workflowId: id, runId: execution };
      await workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
  await waitUntil(async () => !(await isThere()));
}

let count = 0;
let runId = '';
beforeEach(() => {
  runId = `thread-${++count}`;
});

const turn = (input: { heard?: string[]; tell?: string }, messageId?: string): Promise<TactusRun> =>
  server.tactus.start(chat, input, { runId, ...(messageId === undefined ? {} : { messageId }) });

const result = async (run: Promise<TactusRun>) => (await run).result();

describe('a turn of a thread', () => {
  it('goes on with the values of the turn before, from the entrypoint, with numbers of its own', async () => {
    expect(await result(turn({ heard: ['a'] }))).toEqual({ heard: ['a'], said: '1 heard' });
    const second = await turn({ heard: ['b', 'c'] });
    expect(await second.result()).toEqual({ heard: ['a', 'b', 'c'], said: '3 heard' });
    const { snapshots, ledger } = await readGraphState(second);
    expect(snapshots.map(({ metadata: { step, source } }) => [step, source])).toEqual([
      [0, 'input'],
      [1, 'loop'],
      [2, 'loop'],
      [3, 'input'],
      [4, 'loop'],
      [5, 'loop'],
    ]);
    for (const [index, { parent_checkpoint_id: parent, thread }] of snapshots.entries()) {
      expect(parent).toBe(snapshots[index - 1]?.checkpoint_id ?? null);
      expect(thread).toBe(runId);
    }
    expect(new Set(snapshots.map(({ checkpoint_id: id }) => id)).size).toBe(6);
    expect(ledger.map(({ data, step }) => [data, step])).toEqual([
      [{ n: 1 }, 1],
      [{ n: 3 }, 4],
    ]);
    expect(await soundExecutions(server.client, second)).toHaveLength(2);
    expect(await second.status()).toMatchObject({ status: 'completed', checkpoints: 16 });
    await waitUntil(async () => (await storage.loadProcedureMetadata(runId)).replay_index === 2);
    const { execution_log: entries, status } = await storage.loadProcedureMetadata(runId);
    expect([entries.map(({ position }) => position), status]).toEqual([[0, 1], 'COMPLETED']);
  });

  it('is begun once by each message, also where it comes again later, or several times at once', async () => {
    await result(turn({ heard: ['a'] }, 'm1'));
    await result(turn({ heard: ['a'] }, 'm2'));
    for (const id of ['m1', 'm2']) await result(turn({ heard: ['a'] }, id));
    expect(await result(turn({ heard: ['b'] }, 'm2'))).toMatchObject({ heard: ['a', 'a'] });
    const both = await Promise.allSettled([turn({ heard: ['c'] }, 'm3'), turn({ heard: ['c'] }, 'm3')]);
    for (const each of both)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'run_conflict' });
    expect(await result(turn({ heard: ['c'] }, 'm3'))).toMatchObject({ heard: ['a', 'a', 'c'] });
    // Without an id of a message, the same start is the same turn.
    expect(await result(turn({ heard: ['c'] }))).toMatchObject({ heard: ['a', 'a', 'c'] });
  });

  it('never goes on from a state that another one has left behind, however many come at once', async () => {
    await result(turn({ heard: ['first'] }));
    const texts = Array.from({ length: 4 }, (_, i) => `t${i}`);
    const send = async (text: string): Promise<void> => {
      for (;;)
        try {
          await (await turn({ heard: [text] }, text)).result();
          return;
        } catch (error) {
          if (!hasCode(error, 'run_conflict')) throw error;
          await pause(200);
        }
    };
    await Promise.all(texts.map(send));
    const run = server.tactus.attach(runId);
    const { heard } = (await run.result()) as { heard: string[] };
    expect(heard.slice().sort()).toEqual(['first', ...texts].sort());
    expect(await soundExecutions(server.client, run)).toHaveLength(5);
  });

  it('is refused while one is under way, which may wait for a person', async () => {
    await result(turn({ heard: ['a'] }));
    const waiting = await turn({ tell: 'wait' }, 'm1');
    const [request] = await waitUntil(async () => {
      const open = await waiting.pending();
      return open.length > 0 && open;
    });
    await expect(turn({ heard: ['b'] }, 'm2')).rejects.toMatchObject({ code: 'run_conflict' });
    await expect(turn({ heard: ['b'] })).rejects.toThrow(`A turn of ${runId} is under way`);
    expect((await turn({ tell: 'wait' }, 'm1')).runId).toBe(runId);
    expect((await readGraphState(waiting)).snapshots.at(-1)).toMatchObject({
      metadata: { step: 4, source: 'interrupted' },
      interrupts: [{ node: 'hear', reason: 'sure?', payload: { n: 1 } }],
    });
    await waiting.decide({ request: request?.id ?? '', value: 'yes' });
    expect(await waiting.result()).toEqual({ heard: ['a'], said: 'yes', tell: 'wait' });
    expect(await result(turn({ heard: ['b'], tell: '' }, 'm2'))).toMatchObject({ heard: ['a', 'b'] });
  });

  it('goes on from the last super-step of one that failed, and of one that was cancelled', async () => {
    await result(turn({ heard: ['a'] }));
    await expect(result(turn({ heard: ['b'], tell: 'fail' }))).rejects.toThrow('no');
    const waiting = await turn({ heard: ['c'], tell: 'wait' });
    await waitUntil(async () => (await waiting.pending()).length > 0);
    const [before] = await waiting.pending();
    await waiting.cancel();
    await expect(waiting.result()).rejects.toThrow();
    const again = await turn({ tell: 'wait', heard: ['d'] });
    const [after] = await waitUntil(async () => {
      const open = await again.pending();
      return open.length > 0 && open;
    });
    expect(after?.id).not.toBe(before?.id);
    await again.decide({ request: after?.id ?? '', value: 1 });
    expect(await again.result()).toEqual({ heard: ['a', 'b', 'c', 'd'], said: 1, tell: 'wait' });
    expect(await soundExecutions(server.client, again)).toHaveLength(4);
  });

  it('sends what the turn before could not send, under the same key', async () => {
    let open: () => void = () => undefined;
    receiver.held = new Promise((resolve) => (open = resolve));
    const first = await turn({ heard: ['a'], tell: 'send' });
    await waitUntil(() => Promise.resolve(receiver.received.length > 0));
    await first.cancel();
    await expect(first.result()).rejects.toThrow();
    open();
    receiver.received.length = 0;
    const second = await turn({ heard: ['b'], tell: '' });
    await second.result();
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([`${runId}/1/0`]);
    expect((await readGraphState(second)).intents).toMatchObject([
      { key: `${runId}/1/0`, status: 'sent', attempts: 1 },
    ]);
  });

  it('keeps the state and the session of its run, and has the budget of its own start', async () => {
    const source = sourceOf(`
      notes = Session.slice("notes")
      main = Graph {
        channels = { n = Graph.last },
        nodes = { a = function(state)
          notes:append({ n = state.n })
          _G.state.sum = (_G.state.sum or 0) + state.n
          return { writes = { n = #notes:all() * 100 + _G.state.sum } }
        end },
      }`);
    const values = [];
    for (const n of [1, 2, 3])
      values.push(await (await server.tactus.start(source, { n }, { runId })).result());
    expect(values).toEqual([{ n: 101 }, { n: 203 }, { n: 306 }]);
  });

  it('goes on after a turn of many executions, whose log begins at a snapshot, and is forked', async () => {
    const source = sourceOf(`
      main = Graph {
        channels = { n = Graph.last, left = Graph.last },
        max_steps = 1000,
        nodes = { a = function(state)
          Sleep(0.001)
          local left = state.left - 1
          return { writes = { n = (state.n or 0) + 1, left = left }, next = left > 0 and "a" or nil }
        end },
      }`);
    const limits = { historyEvents: 120 };
    const start = (left: number) => server.tactus.start(source, { left }, { runId, limits });
    expect(await (await start(60)).result()).toEqual({ n: 60, left: 0 });
    expect(await (await start(40)).result()).toEqual({ n: 100, left: 0 });
    const third = await start(3);
    expect(await third.result()).toEqual({ n: 103, left: 0 });
    const { snapshots } = await readGraphState(third);
    expect(snapshots.at(-1)?.metadata.step).toBe(105);
    expect(snapshots).toHaveLength(106);
    const { execution_log: entries } = await third.log();
    const at = entries.findLast(({ type }) => type === 'super_step')?.position ?? '';
    const forked = await server.tactus.fork(runId, { at });
    expect(await forked.result()).toEqual({ n: 103, left: 0 });
    await soundExecutions(server.client, third);
  });

  it('is begun by HTTP, once for each message', async () => {
    const folder = temporaryFolder('turns');
    writeFileSync(join(folder, 'chat.tac'), chat.files['main.tac']);
    const api = await startApi(server.tactus, folder);
    const send = async (text: string, message_id: string): Promise<unknown> => {
      const input = { heard: [text] };
      const { status } = await api.post('/namespaces/default/runs', {
        ...{ procedure: 'chat', run_id: runId, input, message_id },
      });
      expect(status).toBe(201);
      return server.tactus.attach(runId).result();
    };
    expect(await send('a', 'm1')).toMatchObject({ heard: ['a'] });
    expect(await send('b', 'm2')).toMatchObject({ heard: ['a', 'b'] });
    expect(await send('b', 'm1')).toMatchObject({ heard: ['a', 'b'] });
    await api.close();
  });

  it('is told of where the server has deleted the turns before, and the storage has a copy', async () => {
    const tactus = new TactusClient(server.client, { storage });
    const warnings: (Error & { code?: string })[] = [];
    const warned = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', warned);
    try {
      const first = await tactus.start(chat, { heard: ['a'] }, { runId });
      await first.result();
      await waitUntil(async () => (await storage.loadProcedureMetadata(runId)).status === 'COMPLETED');
      const next = await tactus.start(chat, { heard: ['b'] }, { runId });
      expect(await next.result()).toMatchObject({ heard: ['a', 'b'] });
      expect(warnings).toEqual([]);

      await deleteRun(runId);
      const anew = await tactus.start(chat, { heard: ['c'] }, { runId });
      expect(await anew.result()).toMatchObject({ heard: ['c'] });
      const lost = await waitUntil(
        async () => warnings.find(({ code }) => code === 'TACTUS_THREAD_LOST') ?? false,
      );
      expect(lost.message).toContain(`no turns of the thread ${runId} any more`);
    } finally {
      process.off('warning', warned);
    }
  });

  it('is no turn where the run is no thread, and a message needs one', async () => {
    const source = sourceOf('Procedure { function() return 1 end }');
    await (await server.tactus.start(source, {}, { runId })).result();
    await expect(server.tactus.start(source, { a: 1 }, { runId })).rejects.toMatchObject({
      code: 'run_conflict',
    });
    await expect(server.tactus.start(source, {}, { runId, messageId: 'm' })).rejects.toMatchObject({
      code: 'usage',
    });
    await expect(turn({}, 'x'.repeat(201))).rejects.toMatchObject({ code: 'usage' });
    await expect(turn({ heard: ['a'] })).rejects.toMatchObject({ code: 'run_conflict' });
  });
});
