import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workflowType } from '../../../src/contract/names.js';
import type { StartInput } from '../../../src/contract/runs/start-input.js';
import { readGraphState } from '../../../src/client/graphs/graph-state.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { startChildWorker } from '../../support/child-worker.js';
import { startReceiver, type MessageReceiver } from '../../support/message-receiver.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

let server: TestServer;
let worker: TestWorker | null = null;
let receiver: MessageReceiver;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await worker?.stop();
  worker = null;
  await receiver.close();
});

const begin = async (): Promise<void> => {
  const outbox = {
    send_text: {
      url: `${receiver.url}/text`,
      headers: { authorization: { secret: 'CRM', prefix: 'Bearer ' } },
    },
    note: { url: `${receiver.url}/note` },
    gone: { url: `${receiver.url}/gone` },
    denied: { url: 'http://denied.example/x' },
  };
  const egressPolicy = { deny: ['denied.example'] };
  worker = await startWorker(server, { activities: { env: { CRM: 'a secret text' }, outbox, egressPolicy } });
};

/** Each super-step sends intents of these types; there are so many steps. */
const sending = (types: string[], steps: number): { entry: string; files: Record<string, string> } => ({
  entry: 'main.tac',
  files: {
    'main.tac': `main = Graph {
      channels = { step = Graph.last },
      max_steps = 100,
      nodes = { a = function(state)
        local step, intents = (state.step or 0) + 1, {}
        for i, type in ipairs({ ${types.map((type) => `"${type}"`).join(', ')} }) do
          intents[i] = { type = type, to = "c-" .. step, payload = { step = step, i = i } }
        end
        return { writes = { step = step }, intents = intents, next = step < ${steps} and "a" or nil }
      end },
    }`,
  },
});

/** The keys that the receiver has, each once, in the order in which they first came. */
const keysOf = (): string[] => [
  ...new Set(receiver.received.map(({ headers }) => String(headers['idempotency-key']))),
];

/** How many executions a run had: each failed no workflow task, and replays. */
const checkHistory = async (run: TactusRun): Promise<number> =>
  (await soundExecutions(server.client, run)).length;

describe('intents of a graph', () => {
  it('are posted as JSON, in order, each under its key', async () => {
    await begin();
    const run = await server.tactus.start(sending(['send_text', 'note'], 2), {});
    expect(await run.result()).toEqual({ step: 2 });
    const { runId } = run;
    expect(keysOf()).toEqual([`${runId}/1/0`, `${runId}/1/1`, `${runId}/2/0`, `${runId}/2/1`]);
    expect(receiver.received).toHaveLength(4);
    expect(receiver.received[0]).toMatchObject({
      path: '/text',
      body: { type: 'send_text', to: 'c-1', payload: { step: 1, i: 1 } },
      headers: { 'content-type': 'application/json', authorization: 'Bearer a secret text' },
    });
    const { intents } = await readGraphState(run);
    expect(intents.map(({ key, status, attempts }) => [key, status, attempts])).toEqual(
      keysOf().map((key) => [key, 'sent', 1]),
    );
    await checkHistory(run);
  });

  it('are tried again by what went wrong, and failed for good they hold up no other', async () => {
    await begin();
    receiver.byPath['/gone'] = { status: 400, body: 'no such person' };
    receiver.answers = [{ status: 503 }, { status: 429, headers: { 'retry-after': '1' } }];
    const run = await server.tactus.start(sending(['note', 'gone', 'unknown', 'denied', 'send_text'], 1), {});
    expect(await run.result()).toEqual({ step: 1 });
    const { intents } = await readGraphState(run);
    expect(intents).toMatchObject([
      { type: 'note', status: 'sent', attempts: 3 },
      { type: 'gone', status: 'failed', attempts: 1, error: 'Intent gone: answered 400: no such person' },
      {
        type: 'unknown',
        status: 'failed',
        attempts: 1,
        error: expect.stringContaining('outbox: {unknown: {url: ') as string,
      },
      {
        type: 'denied',
        status: 'failed',
        attempts: 1,
        error: expect.stringContaining('denied.example') as string,
      },
      { type: 'send_text', status: 'sent', attempts: 1 },
    ]);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/note', '/note', '/note', '/gone', '/text']);
    await checkHistory(run);
  });

  it('hold up no super-step, and the run ends when they are sent', async () => {
    await begin();
    let open: () => void = () => undefined;
    receiver.held = new Promise((resolve) => (open = resolve));
    const run = await server.tactus.start(sending(['note'], 3), {});
    await waitUntil(async () => (await readGraphState(run)).snapshots.length === 4);
    const waiting = await readGraphState(run);
    expect(waiting.intents.map(({ status }) => status)).toEqual(['waiting', 'waiting', 'waiting']);
    expect((await run.status()).status).toBe('running');
    open();
    expect(await run.result()).toEqual({ step: 3 });
    expect(keysOf()).toHaveLength(3);
  });

  it('are sent once each where the run continues as new again and again', async () => {
    await begin();
    const run = await server.tactus.start(
      sending(['note', 'send_text'], 12),
      {},
      { limits: { historyEvents: 40 } },
    );
    expect(await run.result()).toEqual({ step: 12 });
    const expected = Array.from({ length: 24 }, (_, i) => `${run.runId}/${1 + Math.floor(i / 2)}/${i % 2}`);
    expect(receiver.received.map(({ headers }) => headers['idempotency-key'])).toEqual(expected);
    expect(await checkHistory(run)).toBeGreaterThan(1);
  });

  it('reach a receiver that knows keys once and in order, whenever the worker is killed', async () => {
    const module = join(temporaryFolder('outbox'), 'outbox.mjs');
    writeFileSync(module, `export const outbox = { note: { url: '${receiver.url}/note' } };`);
    const runId = 'killed-outbox';
    const options = {
      address: server.env.address,
      taskQueue: runId,
      filesRoot: '/nonexistent',
      tools: { module },
    };
    const start: StartInput = {
      ...{ source: sending(['note'], 8), input: {}, limits: { heartbeatMs: 1_000 } },
      searchAttributes: true,
    };
    // A dead worker is noticed after this time; by default after 10 s.
    const times = { workflowTaskTimeout: '2s' } as const;
    const ids = { workflowId: runId, taskQueue: runId };
    await server.client.workflow.start(workflowType, { args: [start], ...ids, ...times });
    const run = server.tactus.attach(runId);
    for (const killAt of [3, 4, 5]) {
      const child = await startChildWorker({ ...options, killAt });
      await child.ended;
    }
    const last = await startChildWorker(options);
    expect(await run.result()).toEqual({ step: 8 });
    expect(keysOf()).toEqual(Array.from({ length: 8 }, (_, i) => `${runId}/${i + 1}/0`));
    await last.kill();
  }, 120_000);
});
