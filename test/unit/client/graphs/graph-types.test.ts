import { describe, expect, expectTypeOf, it } from 'vitest';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import {
  appendReducer,
  boundedMessagesReducer,
  CanonicalChannels,
  defineGraph,
  defineNode,
  EngineExecutor,
  GraphInterrupt,
  lastWriteWinsReducer,
  phaseNode,
  type EngineGraph,
  type PhaseContractSpec,
  type StateSnapshot,
} from '../../../../src/graph.js';

const channels = {
  notes: appendReducer<string>(),
  answer: lastWriteWinsReducer<string>(),
  total: (current: number | undefined, update: number): number => (current ?? 0) + update,
};

interface State {
  notes: string[];
  answer: string;
  total: number;
}

type Invoke<E extends { invoke: unknown }> = E['invoke'];

describe('defineGraph', () => {
  it('has the types of its channels from their reducers', async () => {
    const graph = defineGraph({
      channels,
      entrypoint: 'plan',
      nodes: {
        plan: async () => ({ stateDiff: { notes: ['begun'] }, nextTasks: ['left'] }),
        left: async ({ state }) => {
          expectTypeOf(state).toEqualTypeOf<Readonly<State>>();
          return { stateDiff: { total: state.notes.length, answer: state.answer } };
        },
      },
    });
    expectTypeOf(graph).toEqualTypeOf<EngineGraph<State, JsonObject>>();
    const executor = new EngineExecutor(graph);
    expect(executor).toBeInstanceOf(EngineExecutor);
    expectTypeOf<Invoke<typeof executor>>().returns.resolves.toEqualTypeOf<StateSnapshot<State>>();
    expectTypeOf<Invoke<typeof executor>>().parameter(0).toEqualTypeOf<Partial<State>>();
    expect(graph.name).toBe('graph');
  });

  it('takes nothing of nodes that does not fit the channels', () => {
    // @ts-expect-error -- total is a number
    defineGraph({ channels, nodes: { plan: async () => ({ stateDiff: { total: '1' } }) } });
    // @ts-expect-error -- notes is a list
    defineGraph({ channels, nodes: { plan: async () => ({ stateDiff: { notes: 'one' } }) } });
    // @ts-expect-error -- there is no channel of this name
    defineGraph({ channels, nodes: { plan: async () => ({ stateDiff: { total: 1, totl: 2 } }) } });
    defineGraph({
      channels,
      // @ts-expect-error -- the state has no such channel
      nodes: { plan: async ({ state }) => ({ stateDiff: { total: state.totl } }) },
    });
    defineGraph({
      channels,
      // @ts-expect-error -- there is no node of this name
      nodes: { plan: async () => ({ stateDiff: {}, nextTasks: ['plann'] }) },
    });
    const options = { channels, nodes: { plan: async () => ({ stateDiff: {} }) } };
    // @ts-expect-error -- there is no node of this name
    expect(() => defineGraph({ ...options, entrypoint: 'plann' })).toThrow(
      'the graph "graph": its entrypoint "plann" is none of its nodes',
    );
    const graph = defineGraph(options);
    // @ts-expect-error -- the input has values of channels
    void (() => new EngineExecutor(graph).invoke({ total: 'many' }, {}, { threadId: 't' }));
  });

  it('takes a context of its author, and nodes that are defined apart', async () => {
    interface Context {
      customer: string;
    }
    const ask = defineNode<State, Context>(
      async ({ customer, state }) => ({ stateDiff: { answer: `${customer} ${state.total}` } }),
      { timeoutMs: 1_000 },
    );
    // @ts-expect-error -- what it writes does not fit the channels
    defineNode<State>(async () => ({ stateDiff: { answer: 1 } }));
    const phase: PhaseContractSpec<State> = {
      name: 'gate',
      run: async ({ total }) => ({ total: total + 1 }),
    };
    const graph = defineGraph<State, Context>({
      channels,
      nodes: { gate: phaseNode(phase, ['ask']), ask },
    });
    const executor = new EngineExecutor(graph);
    expectTypeOf<Invoke<typeof executor>>().parameter(1).toEqualTypeOf<Context>();
    // @ts-expect-error -- the context lacks the customer
    void (() => executor.invoke({}, {}, { threadId: 't' }));
    // As a test of a node calls it.
    const state = { notes: [], answer: '', total: 2 };
    expect(await ask({ customer: 'c-1', state })).toEqual({ stateDiff: { answer: 'c-1 2' } });
    expect(await graph.nodes['gate']?.({ state } as never)).toEqual({
      stateDiff: { total: 3 },
      nextTasks: ['ask'],
    });
  });

  it('refuses names and bounds that are none', () => {
    const nodes = { plan: async () => ({ stateDiff: {} }) };
    const problem = (given: object): string => {
      try {
        defineGraph({ channels, nodes, ...given });
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(problem({ name: 'my graph' })).toContain('"my graph" can\'t be the name of a graph, a channel');
    expect(problem({ nodes: {} })).toBe('the graph "graph" has no nodes');
    expect(problem({ nodes: { 'a"b': nodes.plan } })).toContain('"a\\"b" can\'t be the name');
    expect(problem({ channels: { context: undefined } })).toContain("a channel can't be called context");
    expect(problem({ maxSteps: 0 })).toContain('maxSteps must be an integer from 1 to 1000000');
    expect(problem({ maxSteps: 1 })).toBe('');
    expect(() => boundedMessagesReducer(0)).toThrow('an integer from 1 on');
  });
});

it('an interrupt says its reason, and keeps what it is about', () => {
  const interrupt = new GraphInterrupt('send it?', { to: 'ann' });
  expect(interrupt).toMatchObject({
    name: 'GraphInterrupt',
    message: 'Graph execution interrupted: send it?',
    reason: 'send it?',
    payload: { to: 'ann' },
  });
});

describe('reducers', () => {
  it('compute as they are called in the design', () => {
    expect(appendReducer<number>()(undefined, [1])).toEqual([1]);
    expect(appendReducer<number>()([1], [2, 3])).toEqual([1, 2, 3]);
    expect(boundedMessagesReducer<number>(2)([1, 2], [3])).toEqual([2, 3]);
    expect(lastWriteWinsReducer<string>()('a', 'b')).toBe('b');
    expect(
      CanonicalChannels.messages(
        [],
        Array.from({ length: 60 }, (_, i) => i),
      ),
    ).toHaveLength(50);
    expect(CanonicalChannels.intents(undefined, [{ type: 'send_text' }])).toEqual([{ type: 'send_text' }]);
  });
});
