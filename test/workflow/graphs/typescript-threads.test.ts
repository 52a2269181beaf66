import { describe, expect, it } from 'vitest';
import {
  appendReducer,
  boundedMessagesReducer,
  CanonicalChannels,
  defineGraph,
  EngineExecutor,
  GraphInterrupt,
  isTimeoutCommand,
  KernelExecutor,
  lastWriteWinsReducer,
  RunCheckpointer,
  type StateSnapshot,
} from '../../../src/graph.js';
import { ToolFailed } from '../../../src/activities/tools/tool-host.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';

/** What nodes did, in the order in which they did it. */
const done: string[] = [];
const note = (what: string): void => void done.push(what);

const asking = defineGraph({
  name: 'asking',
  channels: {
    got: appendReducer<unknown>(),
    resumePayload: CanonicalChannels.resumePayload,
  },
  nodes: {
    plan: async () => ({ stateDiff: {}, nextTasks: ['ask', 'work', 'also'] }),
    ask: async ({ state, resumePayload, call }) => {
      note(`ask ${call.attempt}`);
      if (resumePayload === undefined) throw new GraphInterrupt('send it?', { text: 'Dear Ann' });
      if (resumePayload === 'again') throw new GraphInterrupt('really?');
      return { stateDiff: { got: [resumePayload, state.resumePayload] } };
    },
    work: async () => {
      note('work');
      return { stateDiff: { got: ['worked'] } };
    },
    also: async ({ resumePayload }) => {
      note('also');
      if (resumePayload === undefined) throw new GraphInterrupt('and this?');
      return { stateDiff: { got: [`also ${JSON.stringify(resumePayload)}`] } };
    },
  },
});

const waiting = defineGraph({
  name: 'waiting',
  channels: { got: lastWriteWinsReducer<string>() },
  nodes: {
    short: async ({ resumePayload }) => {
      if (isTimeoutCommand(resumePayload)) return { stateDiff: { got: `${resumePayload.reason} timed out` } };
      throw new GraphInterrupt('yes?', null, { timeout: '1s' });
    },
    privileged: async ({ resumePayload }) => {
      if (resumePayload !== undefined)
        return { stateDiff: { got: `${JSON.stringify(resumePayload)} it is` } };
      throw new GraphInterrupt('pay?', { cents: 100 }, { approvers: ['ann'] });
    },
  },
});

/** Whether a service that a node needs is there. */
let isThere = false;
const mending = defineGraph({
  name: 'mending',
  channels: { got: appendReducer<string>() },
  nodes: {
    plan: async () => ({ stateDiff: { got: ['begun'] }, nextTasks: ['good', 'bad', 'worse'] }),
    good: async () => {
      note('good');
      return { stateDiff: { got: ['good'] }, nextTasks: ['end'] };
    },
    bad: async ({ call }) => {
      note(`bad ${call.idempotencyKey}`);
      if (!isThere) throw new ToolFailed('nobody is there');
      return { stateDiff: { got: ['bad'] }, nextTasks: ['end'] };
    },
    worse: async () => {
      note('worse');
      if (!isThere) throw new ToolFailed('nobody is there either');
      return { stateDiff: { got: ['worse'] } };
    },
    end: async ({ state }) => ({ stateDiff: { got: [`${state.got.length}`] } }),
  },
});

const halfway = defineGraph({
  name: 'halfway',
  channels: { got: appendReducer<string>() },
  nodes: {
    plan: async () => ({ stateDiff: { got: ['begun'] }, nextTasks: ['bad', 'ask'] }),
    bad: async () => {
      if (!isThere) throw new ToolFailed('nobody is there');
      return { stateDiff: { got: ['bad'] } };
    },
    ask: async ({ resumePayload }) => {
      note('ask');
      if (resumePayload === undefined) throw new GraphInterrupt('send it?');
      return { stateDiff: { got: [`${JSON.stringify(resumePayload)}`] } };
    },
  },
});

const counting = defineGraph({
  name: 'counting',
  channels: {
    left: lastWriteWinsReducer<number>(),
    sum: (current: number | undefined, update: number) => (current ?? 0) + update,
    last: boundedMessagesReducer<number>(3),
  },
  nodes: {
    count: async ({ state }) => ({
      stateDiff: { left: state.left - 1, sum: state.left, last: [state.left] },
      ledgerEvents: [{ topic: 'left', key: `${state.left}`, data: {} }],
      nextTasks: state.left > 1 ? ['count', 'beside'] : [],
    }),
    beside: async () => ({ stateDiff: { sum: 1_000 } }),
  },
});

const chat = defineGraph({
  name: 'chat',
  channels: { messages: CanonicalChannels.messages, seen: appendReducer<number>() },
  nodes: { answer: async ({ state }) => ({ stateDiff: { seen: [state.messages.length] } }) },
});

const graphs = [asking, waiting, mending, halfway, counting, chat];
const server = serverWithWorker(startDevServer, { activities: { graphs } });

describe('a thread of a graph in TypeScript', () => {
  it('is resumed by its thread and a payload alone', async () => {
    const executor = new KernelExecutor(asking, server.tactus);
    const paused = await executor.invoke('kernel-1', {});
    expect(paused.nextTasks).toEqual(['ask', 'also']);
    const ended = await executor.resume('kernel-1', 'yes');
    expect(ended).toMatchObject({ nextTasks: [], metadata: { source: 'loop' } });
    expect(ended.values.got).toContain('worked');
  });

  it('waits where nodes are interrupted, keeps all of that, and runs no neighbour twice', async () => {
    done.length = 0;
    const executor = new EngineExecutor(asking, server.tactus);
    const told: string[] = [];
    const config = {
      threadId: 'asking-1',
      onStepComplete: ({ metadata }: StateSnapshot) => void told.push(`${metadata.step} ${metadata.source}`),
    };
    const paused = await executor.invoke({}, {}, config);
    expect(paused).toMatchObject({
      metadata: { step: 2, source: 'interrupted', writes: { work: { got: ['worked'] } } },
      nextTasks: ['ask', 'also'],
      interrupts: [
        { node: 'ask', reason: 'send it?', payload: { text: 'Dear Ann' } },
        { node: 'also', reason: 'and this?', payload: null },
      ],
    });
    expect(await executor.invoke({}, {}, config)).toEqual(paused);

    const again = await executor.resume('again', {}, { ...config, idempotencyKey: 'k-1' });
    expect(again).toMatchObject({ nextTasks: ['ask'], interrupts: [{ node: 'ask', reason: 'really?' }] });
    // The same key answers nothing else.
    const same = await executor.resume('again', {}, { ...config, idempotencyKey: 'k-1' });
    expect(same).toEqual(again);
    const ended = await executor.resume({ yes: true }, {}, { ...config, idempotencyKey: 'k-2' });
    expect(ended.values.got).toEqual([{ yes: true }, { yes: true }, 'worked', 'also "again"']);
    expect(ended.values).not.toHaveProperty('resumePayload');
    expect(await executor.resume({ yes: true }, {}, { ...config, idempotencyKey: 'k-2' })).toEqual(ended);
    expect(done.filter((each) => each === 'work')).toHaveLength(1);
    expect(done.filter((each) => each === 'also')).toHaveLength(2);
    expect(done.filter((each) => each === 'ask 1')).toHaveLength(3);
    const checkpointer = new RunCheckpointer(server.tactus);
    const history = await checkpointer.getCheckpointHistory('asking-1');
    for (const each of [paused, again, ended])
      expect(await checkpointer.getCheckpointById('asking-1', each.checkpointId)).toEqual(each);
    expect(history.at(-1)).toEqual(ended);
    expect(history.at(-2)).toEqual(again);
    const ids = history.map(({ checkpointId }) => checkpointId);
    expect(history.map(({ parentCheckpointId: parent = null }) => parent)).toEqual([
      null,
      ...ids.slice(0, -1),
    ]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(told).toContain('2 loop');
    await expect(executor.resume(1, {}, config)).rejects.toThrow(
      'Cannot resume thread asking-1: Execution is already complete.',
    );
    await expect(executor.resume(1, {}, { threadId: 'no-such' })).rejects.toThrow(
      'Cannot resume thread no-such: No checkpoint found.',
    );
    await soundExecutions(server.client, server.tactus.attach('asking-1'));
  });

  it('ends a wait at its time with a TimeoutCommand, and lets those resume it who may', async () => {
    const executor = new EngineExecutor(waiting, server.tactus);
    const paused = await executor.invoke({}, {}, { threadId: 'waiting-1' });
    expect(paused.interrupts).toMatchObject([{ node: 'short', reason: 'yes?' }]);
    const late = await server.tactus.attach('waiting-1').result();
    expect(late).toEqual({ got: 'yes? timed out' });

    const config = { threadId: 'waiting-2', entrypoint: 'privileged' };
    await executor.invoke({}, {}, config);
    await expect(executor.resume('fine', {}, { ...config, by: 'bob' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    const { values } = await executor.resume('fine', {}, { ...config, by: 'ann' });
    expect(values).toEqual({ got: '"fine" it is' });
  });

  it('goes on with a failed thread where it failed, and asks for nothing again that succeeded beside it', async () => {
    done.length = 0;
    const executor = new EngineExecutor(mending, server.tactus);
    const config = { threadId: 'mending-1' };
    for (const input of [{ got: ['given'] }, {}])
      await expect(executor.invoke(input, {}, config)).rejects.toThrow('nobody is there');
    isThere = true;
    const steps: number[] = [];
    const { values } = await executor.invoke(
      {},
      {},
      { ...config, onStepComplete: ({ metadata }) => void steps.push(metadata.step) },
    );
    expect(values).toEqual({ got: ['given', 'begun', 'good', 'bad', 'worse', '5'] });
    expect(steps).toEqual([2, 3]);
    expect(done.filter((each) => each === 'good')).toHaveLength(1);
    const bad = done.filter((each) => each.startsWith('bad '));
    expect(bad).toHaveLength(3);
    expect(new Set(bad).size).toBe(1);
    expect(await executor.invoke({}, {}, config)).toMatchObject({ values });
    const history = await new RunCheckpointer(server.tactus).getCheckpointHistory('mending-1');
    expect(history.map(({ metadata }) => metadata.step)).toEqual([0, 1, 2, 3]);
  });

  it('tells of a node that failed beside one that waits, and keeps the answer for when it is called again', async () => {
    done.length = 0;
    isThere = false;
    const executor = new EngineExecutor(halfway, server.tactus);
    const config = { threadId: 'halfway-1' };
    const paused = await executor.invoke({}, {}, config);
    expect(paused).toMatchObject({
      metadata: { source: 'interrupted', writes: {} },
      nextTasks: ['bad', 'ask'],
      interrupts: [{ node: 'ask' }],
      failed: [{ node: 'bad', error: expect.stringContaining('nobody is there') as string }],
    });
    const { logs, status } = await server.tactus.attach('halfway-1').status();
    expect(status).toBe('waiting_for_human');
    expect(logs.map(({ level, message }) => `${level} ${message}`)).toEqual([
      expect.stringMatching(/^warning graph halfway: node bad has failed.*\(ask\).*nobody is there/),
    ]);
    await expect(executor.resume('yes', {}, config)).rejects.toThrow('nobody is there');
    const history = await new RunCheckpointer(server.tactus).getCheckpointHistory('halfway-1');
    expect(history.at(-1)).toEqual(paused);
    isThere = true;
    const { values } = await executor.invoke({}, {}, config);
    expect(values).toEqual({ got: ['begun', 'bad', '"yes"'] });
    expect(done).toEqual(['ask', 'ask']);
    await soundExecutions(server.client, server.tactus.attach('halfway-1'));
  });

  it('goes on after each continue-as-new where it stood', async () => {
    const executor = new EngineExecutor(counting, server.tactus);
    const steps: number[] = [];
    const { values, metadata } = await executor.invoke(
      { left: 40 },
      {},
      {
        threadId: 'counting-1',
        start: { limits: { historyEvents: 60 } },
        onStepComplete: ({ metadata: { step } }) => void steps.push(step),
      },
    );
    expect(values).toEqual({ left: 0, sum: 820 + 39_000, last: [3, 2, 1] });
    expect(metadata.step).toBe(40);
    expect(steps).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    const run = server.tactus.attach('counting-1');
    expect((await soundExecutions(server.client, run)).length).toBeGreaterThan(2);
    const reader = new RunCheckpointer(server.tactus);
    expect(await reader.getCheckpointHistory('counting-1')).toHaveLength(41);
    const ledger = await reader.getLedger('counting-1');
    expect(ledger.map(({ key }) => Number(key))).toEqual(Array.from({ length: 40 }, (_, i) => 40 - i));
  });

  it('keeps its memory across turns, and takes each message in once', async () => {
    const executor = new KernelExecutor(chat, server.tactus);
    await executor.invoke('chat-1', { messages: ['Hello'] }, 'm-1');
    await executor.invoke('chat-1', { messages: ['And?'] }, 'm-2');
    for (const id of ['m-1', 'm-2']) await executor.invoke('chat-1', { messages: ['again'] }, id);
    const { values, metadata } = await executor.invoke('chat-1', { messages: ['Bye'] }, 'm-3');
    expect(values).toEqual({ messages: ['Hello', 'And?', 'Bye'], seen: [1, 2, 3] });
    expect(metadata.step).toBe(5);
    const many = Array.from({ length: 60 }, (_, i) => i);
    const after = await executor.invoke('chat-1', { messages: many });
    expect(after.values.messages).toEqual(many.slice(-50));
    expect(await executor.invoke('chat-1', {})).toEqual(after);
    const history = await new RunCheckpointer(server.tactus).getCheckpointHistory('chat-1');
    expect(history).toHaveLength(8);
    expect(history.map(({ metadata: { source } }) => source).join()).toBe(
      Array.from({ length: 4 }, () => 'input,loop').join(),
    );
  });
});
