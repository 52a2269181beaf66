import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TactusClient } from '../../../src/client/tactus-client.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../src/contract/json/json.js';
import type { OutsideAgentConfig } from '../../../src/contract/tools/tool-servers.js';
import { startChildWorker } from '../../support/child-worker.js';
import { historiesOf } from '../../support/histories.js';
import { LangGraphStandIn } from '../../support/langgraph-stand-in.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayHistories } from '../../support/replay-histories.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { startDevServer, type TestServer } from '../../support/test-server.js';
import { waitUntil } from '../../support/wait-until.js';

/** A dead worker is noticed after this time, in ms. */
const heartbeatMs = 1_000;

let server: TestServer;
let planner: LangGraphStandIn;
let taskQueue: string;
let workers: TestWorker[];
/** Lets what the graph waits for happen. */
let goOn: () => void;
let late: Promise<void>;

const State = Annotation.Root({
  goal: Annotation<string>,
  heard: Annotation<unknown[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

/** Each of its nodes stops in another way; the goal says which is run. */
const graph = new StateGraph(State)
  // The same node twice: both interrupts have one id.
  .addNode('twice', () => {
    const which: unknown = interrupt({ question: 'Which class?', options: ['first', 'second'] });
    const sure: unknown = interrupt({ message: 'Book it?', response_schema: { type: 'boolean' } });
    return { heard: [which, sure] };
  })
  .addNode('left', () => ({ heard: [interrupt('Left?')] }))
  .addNode('right', () => ({ heard: [interrupt('Right?')] }))
  .addNode('allow', () => {
    const args = { to: 'ann@shop.example' };
    return {
      heard: [interrupt({ action_requests: [{ name: 'send_mail', args, description: 'Send the mail?' }] })],
    };
  })
  .addNode('edit', () => {
    const actionRequests = [1, 2].map((n) => ({ name: 'send_mail', args: { n } }));
    const reviewConfigs = [{ actionName: 'send_mail', allowedDecisions: ['approve', 'reject'] }];
    return { heard: [interrupt({ actionRequests, reviewConfigs })] };
  })
  .addNode('slow', async () => {
    const said: unknown = interrupt('Slowly?');
    await late;
    return { heard: [said] };
  })
  .addNode('busy', async (_state, { signal }) => {
    await Promise.race([late, new Promise((_, reject) => signal?.addEventListener('abort', reject))]);
    return {};
  })
  .addNode('break', () => {
    throw new Error('no trains');
  })
  .addNode('large', () => ({ heard: [interrupt({ page: 'x'.repeat(200_000) })] }))
  .addConditionalEdges(START, ({ goal }) => goal.split('+'))
  .addEdge('twice', END)
  .compile({ checkpointer: new MemorySaver() });

beforeAll(async () => {
  server = await startDevServer();
  planner = await LangGraphStandIn.start(graph);
});
afterAll(async () => {
  await planner.stop();
  await server.stop();
});
beforeEach((context) => {
  planner.forget();
  taskQueue = context.task.id;
  workers = [];
  late = new Promise((resolve) => (goOn = resolve));
});
afterEach(() => Promise.all(workers.map((each) => each.stop())));

const config = (): OutsideAgentConfig => ({
  ...{ protocol: 'langgraph', url: planner.url, graph: 'planner', pollMs: 200 },
  headers: { 'x-api-key': '${PLANNER_KEY}' },
});
const env = { PLANNER_KEY: 'very-secret-word' };

async function work(): Promise<TestWorker> {
  const worker = await startWorker(server, {
    taskQueue,
    activities: { env, outsideAgents: { planner: config() } },
  });
  workers.push(worker);
  return worker;
}

async function start(goal: string): Promise<TactusRun> {
  const tactus = new TactusClient(server.client, { taskQueue });
  const body = `
    local planner = Tool { use = "agent.planner" }
    local ok, what = pcall(planner, { goal = "${goal}" })
    return { ok, ok and what.heard or tostring(what) }`;
  return tactus.start(procedureOf(body), {}, { limits: { heartbeatMs } });
}

async function answer(
  request: HumanRequest | undefined,
  value: JsonValue,
  comment?: string,
): Promise<string> {
  const said = { request: request?.id ?? '', value, ...(comment === undefined ? {} : { comment }) };
  return (await server.tactus.decide(said)).outcome;
}

describe('a graph behind a LangGraph server', () => {
  it('has its interrupts answered one after the other, on one thread', async () => {
    const first = await work();
    const run = await start('twice');
    const [which] = await pendingOf(run);
    expect(which).toMatchObject({
      ...{ kind: 'select', options: ['first', 'second'], message: 'agent.planner asks: Which class?' },
      origin: { source: 'agent.planner', protocol: 'langgraph', address: planner.url, execution: 'outside' },
    });
    await first.stop();
    await work();
    expect(await answer(which, 'first')).toBe('accepted');
    const [sure] = await pendingOf(run);
    expect(sure).toMatchObject({ kind: 'approval', message: 'agent.planner asks: Book it?' });
    expect(sure?.origin).toEqual(which?.origin);
    expect(await answer(sure, false)).toBe('accepted');
    expect(await run.result()).toEqual([true, ['first', false]]);
    expect(planner.begun).toMatchObject([
      { input: { goal: 'twice' } },
      { command: { resume: 'first' } },
      { command: { resume: false } },
    ]);
    expect(planner.asked[0]?.headers['x-api-key']).toBe('very-secret-word');
    expect(planner.asked.map(({ path }) => path)).toContain(`/threads/${which?.origin?.task ?? ''}/state`);
    const histories = await historiesOf(server.client, run.runId);
    expect(JSON.stringify(histories)).not.toContain('very-secret-word');
    const named = histories.map((history) => ({ workflowId: run.runId, history }));
    expect(await replayHistories(named)).toEqual([]);
  });

  it('that stops at two places at once is told both answers', async () => {
    await work();
    const run = await start('left+right');
    await answer((await pendingOf(run))[0], 'l');
    const [second] = await waitUntil(async () => {
      const open = await pendingOf(run);
      return open[0]?.message === 'agent.planner asks: Right?' && open;
    });
    await answer(second, 'r');
    expect(await run.result()).toEqual([true, ['l', 'r']]);
    expect(planner.begun).toHaveLength(2);
  });

  it('wants a call of its own tool allowed: a yes or no, with the reason', async () => {
    await work();
    const run = await start('allow');
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({
      ...{ kind: 'approval', message: 'agent.planner asks: Send the mail?' },
      context: { shown: { action: 'send_mail', arguments: { to: 'ann@shop.example' } } },
    });
    expect(await answer(request, 'yes')).toBe('invalid');
    await answer(request, false, 'not to Ann');
    expect(await run.result()).toEqual([true, [{ decisions: [{ type: 'reject', message: 'not to Ann' }] }]]);
  });

  it('wants several allowed: a decision for each', async () => {
    await work();
    const run = await start('edit');
    const [request] = await pendingOf(run);
    expect(await answer(request, { decisions: [{ type: 'approve' }] })).toBe('invalid');
    const decisions = [{ type: 'approve' }, { type: 'reject' }];
    await answer(request, { decisions });
    expect(await run.result()).toEqual([true, [{ decisions }]]);
  });
});

describe('workers that die', () => {
  it('between an answer and the word of it: the graph is not resumed twice', async () => {
    const tools = { module: null, outsideAgents: { planner: config() } };
    const { address } = server.env;
    const first = await startChildWorker({ address, taskQueue, filesRoot: '/nonexistent', env, tools });
    const run = await start('slow');
    const [request] = await pendingOf(run);
    planner.isMute = true;
    await answer(request, 'yes');
    await planner.wasAsked(/^POST .*\/runs$/, 2);
    await first.kill();
    planner.isMute = false;
    const before = planner.asked.length;
    await work();
    await waitUntil(() => Promise.resolve(planner.asked.length > before + 3));
    goOn();
    expect(await run.result()).toEqual([true, ['yes']]);
    expect(planner.begun).toHaveLength(2);
  });

  it('at the call: the next one finds the thread, and nobody is asked', async () => {
    const tools = { module: null, outsideAgents: { planner: config() } };
    const { address } = server.env;
    const first = await startChildWorker({ address, taskQueue, filesRoot: '/nonexistent', env, tools });
    planner.isMute = true;
    const run = await start('busy');
    await planner.wasAsked(/^POST .*\/runs$/);
    await first.kill();
    planner.isMute = false;
    await work();
    await planner.wasAsked(/^POST \/threads$/, 2);
    goOn();
    expect(await run.result()).toEqual([true, []]);
    expect(planner.begun).toHaveLength(1);
  });
});

describe('what goes another way', () => {
  it('a run that is cancelled cancels that of the graph', async () => {
    await work();
    const run = await start('busy');
    await planner.wasAsked(/^GET .*\/runs$/, 2);
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    await planner.wasAsked(/\/cancel$/);
    await waitUntil(() => Promise.resolve(planner.runs.at(-1)?.status === 'interrupted'));
  });

  it.each([
    ['a graph that fails', 'break', 'the graph ended with error: no trains'],
    ['one that asks with more than anybody reads', 'large', 'bytes of data'],
  ])('%s: the call has failed', async (_how, goal, why) => {
    await work();
    const run = await start(goal);
    expect(await run.result()).toEqual([false, expect.stringContaining(why)]);
  });

  it('a person leaves it', async () => {
    await work();
    const run = await start('left');
    await answer((await pendingOf(run))[0], 'decline', 'wrong graph');
    expect(await run.result()).toEqual([
      false,
      expect.stringContaining('left what the graph asked: wrong graph'),
    ]);
    expect(planner.begun).toHaveLength(1);
  });

  it('somebody else has answered there: our answer is not given besides', async () => {
    await work();
    const run = await start('left');
    const [request] = await pendingOf(run);
    const thread = request?.origin?.task ?? '';
    const theirs = { command: { resume: 'theirs' } };
    await fetch(`${planner.url}/threads/${thread}/runs`, { method: 'POST', body: JSON.stringify(theirs) });
    await waitUntil(() => Promise.resolve(planner.runs.at(-1)?.status === 'success'));
    await answer(request, 'ours');
    expect(await run.result()).toEqual([true, ['theirs']]);
    expect(planner.begun).toHaveLength(2);
  });

  it('a server that has lost the thread', async () => {
    await work();
    const run = await start('left');
    const [request] = await pendingOf(run);
    planner.loseThreads();
    await answer(request, 'l');
    expect(await run.result()).toEqual([
      false,
      expect.stringContaining('the server knows the thread no more'),
    ]);
  });
});
