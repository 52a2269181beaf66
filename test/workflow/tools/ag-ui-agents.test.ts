import type { Interrupt } from '@ag-ui/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { OutsideAgentConfig } from '../../../src/contract/tools/tool-servers.js';
import { AgUiStandIn, type Ending } from '../../support/ag-ui-stand-in.js';
import { startChildWorker } from '../../support/child-worker.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

/**
 * A dead worker is noticed after this time, in ms. One that lives may be held up for a while, by the loading of its packages too:
 * if it is taken for dead, the run asks whether its call was done.
 */
const heartbeatMs = 3_000;
const env = { WRITER_TOKEN: 'very-secret-word' };

let server: TestServer;
let writer: AgUiStandIn;
let taskQueue: string;
let workers: TestWorker[];

beforeAll(async () => {
  server = await startDevServer();
  writer = await AgUiStandIn.start();
});
afterAll(async () => {
  await writer.stop();
  await server.stop();
});
beforeEach((context) => {
  writer.forget();
  taskQueue = context.task.id;
  workers = [];
});
afterEach(() => Promise.all(workers.map((each) => each.stop())));

const config = (more: Partial<OutsideAgentConfig> = {}): OutsideAgentConfig => ({
  ...{ protocol: 'ag_ui', url: writer.url, description: 'Writes letters' },
  headers: { authorization: 'Bearer ${WRITER_TOKEN}' },
  ...more,
});

async function work(more?: Partial<OutsideAgentConfig>): Promise<TestWorker> {
  const activities = { env, outsideAgents: { writer: config(more) } };
  const worker = await startWorker(server, { taskQueue, activities });
  workers.push(worker);
  return worker;
}

function start(more = ''): Promise<TactusRun> {
  const tactus = new TactusClient(server.client, { taskQueue });
  const body = `
    local writer = Tool { use = "agent.writer"${more} }
    local ok, what = pcall(writer, { message = "A letter to Ann", data = { pages = 2 } })
    return { ok, ok and what or tostring(what) }`;
  return tactus.start(procedureOf(body), {}, { limits: { heartbeatMs } });
}

async function answer(request: HumanRequest | undefined, value: JsonValue): Promise<string> {
  return (await server.tactus.decide({ request: request?.id ?? '', value })).outcome;
}

const yes: Interrupt = {
  ...{ id: 'send', reason: 'tool_call', message: 'Send the letter?', toolCallId: 'c1' },
  ...{ responseSchema: { type: 'boolean' }, metadata: { to: 'Ann' } },
};
const tone: Interrupt = {
  ...{ id: 'tone', reason: 'input_required', message: 'In which tone?' },
  responseSchema: { enum: ['warm', 'cool'] },
};

describe('an agent that speaks AG-UI', () => {
  it('is run again on its thread with what people said to its interrupts', async () => {
    writer.conduct = ({ resume, ...input }) =>
      resume === undefined
        ? { says: 'A draft', interrupts: [tone, yes], state: { draft: 1 } }
        : { says: 'It is sent', result: { resume, state: input.state as unknown } };
    const first = await work();
    const run = await start();
    const [which] = await pendingOf(run);
    expect(which).toMatchObject({
      ...{ kind: 'select', options: ['warm', 'cool'], message: 'agent.writer asks: In which tone?' },
      origin: {
        source: 'agent.writer',
        protocol: 'ag_ui',
        address: new URL(writer.url).origin,
        execution: 'outside',
      },
    });
    expect(which?.origin?.task).toBe(writer.asked[0]?.threadId);
    await first.stop();
    await work();
    await answer(which, 'warm');
    const [sure] = await waitUntil(async () => {
      const open = await pendingOf(run);
      return open[0]?.kind === 'approval' && open;
    });
    expect(sure).toMatchObject({ context: { shown: { reason: 'tool_call', tool_call: 'c1', to: 'Ann' } } });
    expect(await answer(sure, true)).toBe('accepted');
    const resume = [
      { interruptId: 'tone', status: 'resolved', payload: 'warm' },
      { interruptId: 'send', status: 'resolved', payload: true },
    ];
    expect(await run.result()).toEqual([true, { resume, state: { draft: 1 } }]);
    const [begun, resumed] = writer.asked;
    expect(begun?.authorization).toBe('Bearer very-secret-word');
    expect(begun?.messages).toMatchObject([{ role: 'user', content: 'A letter to Ann\n\n{"pages":2}' }]);
    expect(resumed).toMatchObject({ threadId: begun?.threadId, resume });
    expect(resumed?.runId).not.toBe(begun?.runId);
    expect(resumed?.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'A draft' });
    expect(writer.asked).toHaveLength(2);
    const histories = await historiesOf(server.client, run.runId);
    expect(JSON.stringify(histories)).not.toContain('very-secret-word');
    const named = histories.map((history) => ({ workflowId: run.runId, history }));
    expect(await replayHistories(named)).toEqual([]);
  });

  it('is told that nobody answered in its time', async () => {
    const late = (): Interrupt => {
      const expiresAt = new Date(Date.now() + 3_000).toISOString();
      return { ...tone, responseSchema: { type: 'object' }, expiresAt };
    };
    writer.conduct = ({ resume }) => (resume === undefined ? { interrupts: [late()] } : { result: resume });
    await work();
    const run = await start();
    expect((await pendingOf(run))[0]?.deadline).not.toBeNull();
    expect(await run.result()).toEqual([true, [{ interruptId: 'tone', status: 'cancelled' }]]);
  });

  it('asks again and again: so often, and no more', async () => {
    writer.conduct = () => ({ interrupts: [tone] });
    await work();
    const run = await start();
    for (let n = 0; n < 20; n++) {
      const [request] = await pendingOf(run);
      expect(await answer(request, 'cool')).toBe('accepted');
    }
    expect(await run.result()).toEqual([false, expect.stringContaining('20 times, and asks again')]);
    expect(writer.asked).toHaveLength(21);
    expect(new Set(writer.asked.map(({ runId }) => runId)).size).toBe(21);
  });
});

describe('a stream that breaks off', () => {
  /** What nobody handles ends a worker. */
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => {
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('with its worker, after an answer: nobody knows, and it is not resumed again by itself', async () => {
    writer.conduct = ({ resume }) => (resume === undefined ? { interrupts: [tone] } : 'silent');
    const tools = { module: null, outsideAgents: { writer: config() } };
    const { address } = server.env;
    const first = await startChildWorker({ address, taskQueue, filesRoot: '/nonexistent', env, tools });
    const run = await start();
    expect(await answer((await pendingOf(run))[0], 'warm')).toBe('accepted');
    await writer.wasAsked(2);
    await first.kill();
    await work();
    const [request] = await waitUntil(async () => {
      const open = await pendingOf(run);
      return open[0]?.message.startsWith('Nobody knows') === true && open;
    });
    expect(writer.asked).toHaveLength(2);
    writer.conduct = () => ({ result: 'sent' });
    expect(await answer(request, 'not_done')).toBe('accepted');
    expect(await run.result()).toEqual([true, 'sent']);
    // It is the same run of the agent's to whoever knows ids.
    expect(writer.asked[2]?.runId).toBe(writer.asked[1]?.runId);
    expect(writer.asked[2]?.resume).toEqual(writer.asked[1]?.resume);
  });

  it('is let go of where the run is cancelled', async () => {
    writer.conduct = () => 'silent';
    await work();
    const run = await start();
    await writer.wasAsked();
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    await waitUntil(() => Promise.resolve(writer.dropped === 1));
  });

  it.each([
    ['fails', { fails: 'out of ink' }, 'the agent says that it failed: out of ink'],
    ['says nonsense', { raw: 'data: {"type": "RUN_FINISHED"}\n\n' }, 'nobody knows'],
    ['ends too soon', { raw: '' }, 'nobody knows'],
    ['is cut', 'broken', 'nobody knows'],
    [
      'asks with a megabyte',
      { interrupts: [{ ...tone, message: 'x'.repeat(1_000_000) }] },
      '1000000 characters',
    ],
  ] satisfies [string, Ending, string][])('or %s', async (_how, ending, why) => {
    writer.conduct = () => ending;
    await work();
    const run = await start(', on_unknown = "error"');
    expect(await run.result()).toEqual([false, expect.stringContaining(why)]);
  });
});
