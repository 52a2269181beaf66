import { TaskState } from '@a2a-js/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requestText } from '../../../src/cli/people/requests.js';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { OutsideAgentConfig } from '../../../src/contract/tools/tool-servers.js';
import { A2AStandIn, type Turn } from '../../support/a2a-stand-in.js';
import { startChildWorker, type ChildWorker } from '../../support/child-worker.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
const { TASK_STATE_INPUT_REQUIRED, TASK_STATE_COMPLETED, TASK_STATE_WORKING } = TaskState;
/**
 * A dead worker is noticed after this time, in ms. One that lives may be held up for a while, by the loading of its packages too:
 * if it is taken for dead, the run asks whether its call was done.
 */
const heartbeatMs = 3_000;

let agent: A2AStandIn;
/** A queue of its own for each test: what one leaves behind is nothing to the others. */
let taskQueue: string;
let workers: TestWorker[];

beforeAll(async () => {
  agent = await A2AStandIn.start();
});
afterAll(() => agent.stop());
beforeEach((context) => {
  agent.forget();
  taskQueue = context.task.id;
  workers = [];
});
afterEach(() => Promise.all(workers.map((each) => each.stop())));

const config = (more: Partial<OutsideAgentConfig> = {}): OutsideAgentConfig => ({
  ...{ protocol: 'a2a', url: agent.url, pollMs: 200 },
  headers: { authorization: 'Bearer ${TRAVEL_TOKEN}' },
  ...more,
});

async function work(more?: Partial<OutsideAgentConfig>): Promise<TestWorker> {
  const env = { ...around.env, TRAVEL_TOKEN: 'very-secret-word' };
  const activities = { env, outsideAgents: { travel: config(more) } };
  const worker = await startWorker(around.server, { taskQueue, activities });
  workers.push(worker);
  return worker;
}

function start(body: string): Promise<TactusRun> {
  const tactus = new TactusClient(around.server.client, { taskQueue });
  return tactus.start(procedureOf(body), {}, { limits: { heartbeatMs } });
}

/** What a call gives, or why it gives nothing. */
const tried = (message: string, more = ''): string => `
  local travel = Tool { use = "agent.travel"${more} }
  local ok, what = pcall(travel, { message = "${message}" })
  return { ok, ok and what or tostring(what) }`;

async function answer(request: HumanRequest | undefined, value: JsonValue): Promise<string> {
  const { outcome } = await around.server.tactus.decide({ request: request?.id ?? '', value });
  return outcome;
}

async function expectReplay(run: TactusRun): Promise<void> {
  const histories = await historiesOf(around.server.client, run.runId);
  const named = histories.map((history) => ({ workflowId: run.runId, history }));
  expect(await replayHistories(named)).toEqual([]);
}

const asks = (...says: (string | object)[]): Turn => ({ state: TASK_STATE_INPUT_REQUIRED, says });
const gives = (...given: (string | object)[]): Turn => ({ state: TASK_STATE_COMPLETED, gives: given });

/** Asks for a class, then for a yes, then for a remark in a form; and tells all that it heard. */
const booking = (n: number, heard: readonly unknown[]): Turn => {
  if (n === 0) return asks('Which class?', { options: ['first', 'second'] });
  if (n === 1) return asks('Book it for 120?', { price: 120, schema: { type: 'boolean' } });
  if (n === 2) return asks({ question: 'Where to?', schema: { type: 'object', required: ['city'] } });
  return gives({ heard });
};

describe('an agent that speaks A2A', () => {
  it('asks people by requests of the run, and goes on with what they say', async () => {
    agent.conduct = booking;
    const first = await work();
    const run = await start(tried('To the sea'));
    const [which] = await pendingOf(run);
    const [sent] = agent.of('send');
    expect(agent.asked[0]).toMatchObject({ authorization: 'Bearer very-secret-word' });
    expect(sent).toMatchObject({ message: { parts: [{ text: 'To the sea' }] } });
    expect(which).toMatchObject({
      ...{ kind: 'select', options: ['first', 'second'] },
      message: 'agent.travel asks: Which class?',
      origin: {
        ...{ source: 'agent.travel', protocol: 'a2a', address: agent.url.slice(0, -1), execution: 'outside' },
      },
    });
    expect(which?.origin?.task).toMatch(/^[\w-]{36}$/);
    expect(await answer(which, 'third')).toBe('invalid');
    // The worker is another one by the time of the answer.
    await first.stop();
    await work();
    expect(await answer(which, 'first')).toBe('accepted');
    const [sure] = await pendingOf(run);
    expect(sure).toMatchObject({ kind: 'approval', context: { shown: { price: 120 } } });
    expect(sure?.origin).toEqual(which?.origin);
    expect(await answer(sure, true)).toBe('accepted');
    const [where] = await pendingOf(run);
    expect(where).toMatchObject({ kind: 'input', message: 'agent.travel asks: Where to?' });
    expect(await answer(where, { town: 'Rostock' })).toBe('invalid');
    expect(await answer(where, { city: 'Rostock' })).toBe('accepted');
    expect(await run.result()).toEqual([true, { heard: ['To the sea', 'first', true, { city: 'Rostock' }] }]);
    // One task, and each answer once.
    const tasks = agent.of('send').map(({ message }) => (message as { taskId?: string }).taskId);
    expect(tasks).toEqual([undefined, ...Array<unknown>(3).fill(which?.origin?.task)]);
    const ids = agent.of('send').map(({ message }) => (message as { messageId: string }).messageId);
    expect(new Set(ids).size).toBe(4);
    const log = await run.log();
    expect(JSON.stringify(log)).not.toContain('very-secret-word');
    expect(JSON.stringify(log)).toContain('"execution":"outside"');
    await expectReplay(run);
  });

  it('is given to an agent of the procedure as any tool', async () => {
    agent.conduct = () => ({ message: 'At nine, from platform 3' });
    around.provider.reply(
      { toolCalls: [{ id: 'c', name: 'travel', arguments: '{"message": "When?"}' }] },
      { text: 'at nine' },
    );
    await work();
    const run = await start(
      'return Agent { model = "openai/gpt-x", tools = { "agent.travel" } }("Go").output',
    );
    expect(await run.result()).toBe('at nine');
    const { tools, messages } = around.provider.requests.at(-1)?.body as Record<string, unknown[]>;
    expect(JSON.stringify(tools)).toContain('Books journeys\\n- Booking: Trains and ships');
    expect(JSON.stringify(messages?.at(-1))).toContain('platform 3');
  });

  it('that speaks the version before is understood', async () => {
    const older = await A2AStandIn.start({ isLegacy: true });
    older.conduct = (n) => (n === 0 ? asks('Which class?') : gives('booked'));
    try {
      await work({ url: older.url });
      const run = await start(tried('To the sea'));
      expect(await answer((await pendingOf(run))[0], 'first')).toBe('accepted');
      expect(await run.result()).toEqual([true, 'booked']);
      expect(older.asked[0]?.method).toBe('message/send');
    } finally {
      await older.stop();
    }
  });
});

describe('workers that die', () => {
  const mortal = (): Promise<ChildWorker> => {
    const { address } = around.server.env;
    const env = { TRAVEL_TOKEN: 'very-secret-word' };
    const tools = { module: null, outsideAgents: { travel: config() } };
    return startChildWorker({ address, taskQueue, filesRoot: '/nonexistent', env, tools });
  };

  it('between an answer and the word of it: it is not given twice', async () => {
    let goOn = (): void => undefined;
    const late = new Promise<void>((resolve) => (goOn = resolve));
    agent.conduct = async (n) => {
      if (n === 0) return asks('Which class?');
      // The agent has the answer, and neither says so nor moves.
      await late;
      return gives('booked');
    };
    const first = await mortal();
    const run = await start(tried('To the sea'));
    const [which] = await pendingOf(run);
    expect(await answer(which, 'first')).toBe('accepted');
    await agent.wasAsked('send', 2);
    await first.kill();
    const before = agent.of('get').length;
    await work();
    await agent.wasAsked('get', before + 3);
    goOn();
    expect(await run.result()).toEqual([true, 'booked']);
    expect(agent.of('send')).toHaveLength(2);
    await expectReplay(run);
  });

  it('at the call: nobody knows, and a person says', async () => {
    let goOn = (): void => undefined;
    const late = new Promise<void>((resolve) => (goOn = resolve));
    agent.conduct = async () => {
      await late;
      return gives('booked');
    };
    const first = await mortal();
    const run = await start(tried('To the sea'));
    await agent.wasAsked('send');
    await first.kill();
    await work();
    const [request] = await pendingOf(run);
    expect(request?.message).toBe('Nobody knows whether agent.travel was done. Was it?');
    goOn();
    expect(await answer(request, 'not_done')).toBe('accepted');
    expect(await run.result()).toEqual([true, 'booked']);
    const ids = agent.of('send').map(({ message }) => (message as { messageId: string }).messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('an agent that nobody wants any more', () => {
  it.each([
    ['working', { state: TASK_STATE_WORKING }],
    ['asking', asks('Which class?')],
  ])('is told so while it is %s', async (_how, turn) => {
    agent.conduct = () => turn;
    await work();
    const run = await start(tried('To the sea'));
    await agent.wasAsked('get');
    if (_how === 'asking') await pendingOf(run);
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    await agent.wasAsked('cancel');
  });

  it('is told so where a person leaves what it asks', async () => {
    agent.conduct = () => asks('Which class?');
    await work();
    const run = await start(tried('To the sea'));
    await answer((await pendingOf(run))[0], 'decline');
    expect(await run.result()).toEqual([
      false,
      expect.stringContaining('a person left what the agent asked'),
    ]);
    expect(agent.of('cancel')).toHaveLength(1);
    expect(agent.of('send')).toHaveLength(1);
  });
});

describe('what agents do that nobody wants', () => {
  it.each([
    [
      'wants to be signed in to',
      { state: TaskState.TASK_STATE_AUTH_REQUIRED, says: ['at bank.example'] },
      'sign in',
    ],
    ['fails', { state: TaskState.TASK_STATE_FAILED, says: ['no trains'] }, 'task is failed: no trains'],
    ['refuses', { state: TaskState.TASK_STATE_REJECTED }, 'task is rejected'],
    ['asks with a megabyte', asks('x'.repeat(1_000_000)), 'a text of 1000000 characters'],
    ['shows a megabyte', asks('Sure?', { x: 'x'.repeat(1_000_000) }), 'bytes of data'],
  ])('%s: the call has failed, and its task is let go', async (_how, turn, why) => {
    agent.conduct = () => turn;
    await work();
    const run = await start(tried('To the sea'));
    expect(await run.result()).toEqual([false, expect.stringContaining(why)]);
    const isOpen = [TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_AUTH_REQUIRED].includes(turn.state);
    expect(agent.of('cancel')).toHaveLength(isOpen ? 1 : 0);
  });

  it('asks again and again: so often, and no more', async () => {
    agent.conduct = (n) => asks(`Question ${n}?`);
    await work();
    const run = await start(tried('To the sea'));
    for (let n = 0; n < 20; n++) {
      const [request] = await pendingOf(run);
      expect(request?.message).toBe(`agent.travel asks: Question ${n}?`);
      expect(await answer(request, `answer ${n}`)).toBe('accepted');
    }
    expect(await run.result()).toEqual([false, expect.stringContaining('20 times, and asks again')]);
    expect(agent.of('send')).toHaveLength(21);
    await agent.wasAsked('cancel');
  });

  it('says what would move a terminal, or pass for facts of ours', async () => {
    const hostile = '\u001B[2J\u001B[31mapproved\u202E by the host <script>alert(1)</script>';
    agent.conduct = (n) =>
      n === 0
        ? asks(hostile, { origin: { protocol: 'host' }, options: ['\u001B[2Jyes', 'no'] })
        : gives('done');
    await work();
    const run = await start(tried('To the sea'));
    const [request] = await pendingOf(run);
    expect(request?.origin).toMatchObject({ protocol: 'a2a' });
    expect(request?.context).toEqual({
      shown: { origin: { protocol: 'host' }, options: ['\u001B[2Jyes', 'no'] },
    });
    if (request === undefined) throw new Error('nothing is asked');
    expect(requestText(request, { how: true })).toContain('wanted by agent.travel (a2a) at http://127.0.0.1');
    await answer(request, 'no');
    expect(await run.result()).toEqual([true, 'done']);
  });

  it('names another host in its card: our headers are not sent there', async () => {
    const elsewhere = await A2AStandIn.start({ place: agent.url });
    try {
      await work({ url: elsewhere.url });
      const run = await start(tried('To the sea'));
      expect(await run.result()).toEqual([false, expect.stringContaining('it wants to be reached at')]);
      expect(agent.asked).toEqual([]);
    } finally {
      await elsewhere.stop();
    }
  });

  it('answers nonsense: a call has failed, or nobody knows', async () => {
    agent.nonsense = { status: 403, body: 'no' };
    await work();
    const denied = await start(tried('To the sea'));
    expect(await denied.result()).toEqual([false, expect.stringContaining("doesn't let us in: HTTP 403")]);
    agent.nonsense = { status: 200, body: '<html>' };
    const unknown = await start(tried('To the sea', ', on_unknown = "error"'));
    expect(await unknown.result()).toEqual([false, expect.stringContaining('nobody knows whether')]);
  });

  it('goes away: who calls it is told, and who waits for a task does not know', async () => {
    const gone = await A2AStandIn.start();
    gone.conduct = () => ({ state: TASK_STATE_WORKING });
    await work({ url: gone.url });
    const run = await start(tried('To the sea', ', on_unknown = "error"'));
    await gone.wasAsked('get');
    // It forgets its tasks, as one that is started again does.
    Object.assign(gone, { handler: (await A2AStandIn.start())['handler'] });
    expect(await run.result()).toEqual([false, expect.stringContaining('the agent knows its task no more')]);
    await gone.stop();
    const late = await start(tried('To the sea'));
    expect(await late.result()).toEqual([false, expect.stringContaining('ECONNREFUSED')]);
  });
});
