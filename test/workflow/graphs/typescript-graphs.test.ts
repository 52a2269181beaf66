import { describe, expect, it } from 'vitest';
import {
  appendReducer,
  CanonicalChannels,
  defineGraph,
  defineNode,
  EngineExecutor,
  KernelExecutor,
  lastWriteWinsReducer,
  RunCheckpointer,
  type LedgerEvent,
  type StateSnapshot,
} from '../../../src/graph.js';
import { ToolFailed } from '../../../src/activities/tools/tool-host.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';

/** What nodes did, in the order in which they did it. */
const done: string[] = [];
const note = (what: string): void => void done.push(what);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Lookup {
  notes: string[];
  total: number;
  longest: string;
  last: string;
}

/** Two nodes side by side, of which the second one ends first, and reducers of the test's own. */
const lookup = defineGraph<Lookup, { customer?: string }>({
  name: 'lookup',
  channels: {
    notes: appendReducer<string>(),
    total: (current, update) => (current ?? 0) + update,
    longest: (current, update) => (update.length > (current ?? '').length ? update : (current ?? '')),
    last: undefined,
  },
  nodes: {
    plan: async () => ({ stateDiff: { notes: ['begun'] }, nextTasks: ['left', 'right'] }),
    left: async ({ state, customer }) => {
      await pause(300);
      note('left');
      return {
        stateDiff: {
          notes: [`left of ${state.notes.join()}`],
          total: 1,
          longest: 'left',
          last: customer ?? '',
        },
        ledgerEvents: [
          { topic: 'seen', key: 'l1', data: { n: 1 } },
          { topic: 'heard', key: 'l2', data: {} },
        ],
        nextTasks: ['join'],
      };
    },
    right: async ({ state }) => {
      note('right');
      return {
        stateDiff: { notes: [`right of ${state.notes.join()}`], total: 2, longest: 'right', last: 'right' },
        ledgerEvents: [{ topic: 'seen', key: 'r', data: { n: 2 } }],
        nextTasks: ['join', 'check'],
      };
    },
    join: async ({ state }) => ({ stateDiff: { notes: [`${state.notes.length} notes`] } }),
    check: async ({ state }) => ({ stateDiff: { total: state.total * 10 } }),
  },
});

const failing = defineGraph({
  name: 'failing',
  channels: { got: appendReducer<string>() },
  nodes: {
    plan: async () => ({ stateDiff: { got: ['begun'] }, nextTasks: ['bad', 'good'] }),
    bad: async () => {
      note('bad');
      throw new ToolFailed('the card was declined');
    },
    good: async () => {
      note('good');
      return { stateDiff: { got: ['good'] } };
    },
    flaky: defineNode<{ got: string[] }>(
      async ({ call }) => {
        note(`flaky ${call.attempt} ${call.idempotencyKey}`);
        if (call.attempt === 1) throw new Error('not yet');
        return { stateDiff: { got: ['at last'] } };
      },
      { retry: { attempts: 2, delayMs: 10 } },
    ),
    forever: async () => ({ stateDiff: {}, nextTasks: ['forever'] }),
    lost: async () => ({ stateDiff: {}, nextTasks: ['nowhere' as 'good'] }),
  },
});

const shapes = defineGraph<{ kept: object; other: unknown; intents: { type: string }[] }>({
  name: 'shapes',
  channels: { kept: lastWriteWinsReducer(), other: undefined, intents: CanonicalChannels.intents },
  nodes: {
    look: async ({ state }) => ({
      stateDiff: {
        other: [Array.isArray(state.kept), { empty: {}, list: [], nothing: null }],
        intents: [{ type: 'send_text', to: 'c-1' }],
      },
      intents: [{ type: 'send_mail' }],
    }),
  },
});

/** As it stands in the tests of the design. */
const plain = {
  channels: { ok: (_prev: boolean | undefined, update: boolean) => update },
  nodes: { start: async () => ({ stateDiff: { ok: true }, nextTasks: [] }) },
};

const graphs = [plain, lookup, failing, shapes];
const server = serverWithWorker(startDevServer, { activities: { graphs } });

describe('a graph in TypeScript', () => {
  it('runs a thread to its end', async () => {
    const executor = new EngineExecutor(plain, server.tactus);
    const result = await executor.invoke({}, {}, { threadId: 'whole', entrypoint: 'start' });
    expect(result).toMatchObject({ values: { ok: true }, nextTasks: [] });
    expect(await new RunCheckpointer(server.tactus).getCheckpoint('whole')).toEqual(result);
  });

  it('puts each write through its reducer once and in the order of the plan, joins the next tasks, and keeps all events', async () => {
    done.length = 0;
    const steps: [StateSnapshot<Lookup>, Partial<Lookup>][] = [];
    const events: LedgerEvent[] = [];
    const checkpointer = new RunCheckpointer<Lookup>(server.tactus);
    const result = await new EngineExecutor(lookup).invoke(
      { notes: ['given'] },
      { customer: 'c-1' },
      {
        threadId: 'lookup-1',
        checkpointer,
        ledger: { appendLedgerEvent: async (_, event) => void events.push(event) },
        onStepComplete: (snapshot, writes) => void steps.push([snapshot, writes]),
      },
    );
    expect(done).toEqual(['right', 'left']);
    expect(result.values).toEqual({
      notes: ['given', 'begun', 'left of given,begun', 'right of given,begun', '4 notes'],
      total: 33,
      longest: 'right',
      last: 'right',
    });
    expect(result.metadata).toEqual({
      step: 3,
      source: 'loop',
      writes: { join: { notes: ['4 notes'] }, check: { total: 30 } },
    });
    expect(steps.map(([{ metadata, nextTasks }]) => [metadata.step, nextTasks])).toEqual([
      [1, ['left', 'right']],
      [2, ['join', 'check']],
      [3, []],
    ]);
    expect(steps[1]?.[1]).toMatchObject({ notes: ['right of given,begun'], longest: 'right' });
    expect(events.map(({ topic, key }) => `${topic} ${key}`)).toEqual(['seen l1', 'heard l2', 'seen r']);

    const history = await checkpointer.getCheckpointHistory('lookup-1');
    expect(history.map(({ metadata }) => [metadata.step, metadata.source])).toEqual([
      [0, 'input'],
      [1, 'loop'],
      [2, 'loop'],
      [3, 'loop'],
    ]);
    expect(history.map(({ checkpointId }) => checkpointId).slice(0, -1)).toEqual(
      history.slice(1).map(({ parentCheckpointId }) => parentCheckpointId),
    );
    expect(history[0]).not.toHaveProperty('parentCheckpointId');
    expect(history[2]?.createdAt).toBeInstanceOf(Date);
    expect(history[2]).toMatchObject({
      state_values: history[2]?.values,
      pending_tasks: ['join', 'check'],
      versions_seen: { left: { notes: 1 } },
    });
    const { checkpointId = '' } = history[1] ?? {};
    expect(await checkpointer.getCheckpointById('lookup-1', checkpointId)).toEqual(history[1]);
    expect(await checkpointer.getCheckpointById('lookup-1', 'no-such')).toBeNull();
    expect(await checkpointer.get('lookup-1')).toEqual(history[3]);
    expect(await checkpointer.getHistory('lookup-1')).toEqual(history);
    expect(await checkpointer.getCheckpoint('no-such')).toBeNull();
    expect(await checkpointer.getLedger('lookup-1', { topic: 'seen' })).toEqual([
      { topic: 'seen', key: 'l1', data: { n: 1 }, step: 2, number: 1 },
      { topic: 'seen', key: 'r', data: { n: 2 }, step: 2, number: 3 },
    ]);
    expect(await checkpointer.getLedger('lookup-1', { after: 2 })).toHaveLength(1);
    await expect(checkpointer.putCheckpoint('lookup-1')).rejects.toMatchObject({ code: 'usage' });
    await soundExecutions(server.client, server.tactus.attach('lookup-1'));
  });

  it('goes on with a thread that exists, and begins nothing anew', async () => {
    done.length = 0;
    const executor = new KernelExecutor(lookup, server.tactus, { context: { customer: 'c-1' } });
    const [first, second] = await Promise.all([
      executor.invoke('lookup-2', { notes: ['given'] }),
      executor.invoke('lookup-2', { notes: ['given'] }),
    ]);
    expect(second).toEqual(first);
    expect(await executor.invoke('lookup-2', {})).toEqual(first);
    expect(done).toEqual(['right', 'left']);
  });

  it('begins the next turn of a thread that has ended, from its entrypoint, and keeps the values', async () => {
    const executor = new EngineExecutor(lookup, server.tactus);
    const config = { threadId: 'turns-1', entrypoint: 'check' };
    const first = await executor.invoke({ notes: ['a'], total: 1 }, {}, config);
    expect(first.values).toEqual({ notes: ['a'], total: 11 });
    const second = await executor.invoke({ notes: ['b'] }, {}, config);
    expect(second.values).toEqual({ notes: ['a', 'b'], total: 121 });
    expect(await new RunCheckpointer(server.tactus).getCheckpointHistory('turns-1')).toHaveLength(4);
  });

  it('leaves no write of a super-step in which a node fails, and tells the caller', async () => {
    done.length = 0;
    const executor = new EngineExecutor(failing, server.tactus);
    await expect(executor.invoke({}, {}, { threadId: 'failing-1' })).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('the card was declined') as string,
    });
    expect(done.toSorted()).toEqual(['bad', 'good']);
    const last = await new RunCheckpointer(server.tactus).getCheckpoint('failing-1');
    expect(last).toMatchObject({ values: { got: ['begun'] }, nextTasks: ['bad', 'good'] });
    await expect(executor.resume(1, {}, { threadId: 'failing-1' })).rejects.toMatchObject({
      code: 'tool_failed',
    });
  });

  it('tries a node again by its rules, under the same key', async () => {
    done.length = 0;
    const executor = new EngineExecutor(failing, server.tactus);
    const { values } = await executor.invoke({}, {}, { threadId: 'failing-2', entrypoint: 'flaky' });
    expect(values).toEqual({ got: ['at last'] });
    const keys = new Set(done.map((each) => each.replace(/^flaky \d /, '')));
    expect(done).toHaveLength(2);
    expect(keys.size).toBe(1);
  });

  it('ends with the words of the design where there is no such node, or no end', async () => {
    const executor = new EngineExecutor(failing, server.tactus);
    const few = { config: { maxRecursionSteps: 3 } };
    await expect(executor.invoke({}, few, { threadId: 'loop-1', entrypoint: 'forever' })).rejects.toThrow(
      'Graph Execution Error: Max steps (3) exceeded for thread loop-1',
    );
    const steps = await new RunCheckpointer(server.tactus).getCheckpointHistory('loop-1');
    expect(steps.at(-1)?.metadata.step).toBe(4);
    await expect(executor.invoke({}, {}, { threadId: 'loop-2', entrypoint: 'lost' })).rejects.toThrow(
      'Graph Execution Error: Node nowhere not found.',
    );
    await expect(executor.invoke({}, {}, { threadId: 'loop-3', entrypoint: 'none' })).rejects.toThrow(
      'Graph Execution Error: Node none not found.',
    );
    expect(await new RunCheckpointer(server.tactus).getCheckpoint('loop-3')).toBeNull();
  });

  it('hands values over as they are, and sends what is written to the channel of intents', async () => {
    const executor = new EngineExecutor(shapes, server.tactus);
    const { values } = await executor.invoke({ kept: {} }, {}, { threadId: 'shapes-1' });
    expect(values).toEqual({
      kept: {},
      other: [false, { empty: {}, list: [], nothing: null }],
      intents: [{ type: 'send_text', to: 'c-1' }],
    });
    const intents = await new RunCheckpointer(server.tactus).getIntents('shapes-1');
    expect(intents.map(({ key, type, status }) => `${key} ${type} ${status}`)).toEqual([
      'shapes-1/1/0 send_mail failed',
      'shapes-1/1/1 send_text failed',
    ]);
  });
});
