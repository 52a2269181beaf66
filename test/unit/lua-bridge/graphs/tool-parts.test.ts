import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../../src/contract/effects/effects.js';
import { isObject, type JsonObject, type JsonValue } from '../../../../src/contract/json/json.js';
import type { ToolListing } from '../../../../src/contract/tools/outside-tool.js';
import { outputOf, runFake, type FakeOptions } from '../../../support/fake-host.js';
import { stepsIn } from './research.js';

/** A graph with nodes and a reducer that a worker has, and one node of Lua. */
const source = `main = Graph {
  name = "g", entrypoint = "plan", channels = { list = Graph.append, sum = Tool { use = "host.g.sum" }, most = Tool { use = "host.g.most" } },
  nodes = {
    plan = Tool { use = "host.g.plan" },
    left = Tool { use = "host.g.left" },
    right = function(state, context) return { writes = { list = { "r" }, sum = 2, most = context.n } } end,
    again = Tool { use = "host.g.again" },
  },
}`;

type Call = { name: string; args: JsonObject };

/** Answers as a worker does that has the tools; notes its calls. */
function worker(calls: Call[], answers: Record<string, (args: JsonObject) => JsonValue>) {
  return (effect: Effect): JsonValue => {
    if (effect.kind === 'tool_list') {
      const listed = effect.sources.map((name): [string, ToolListing[string]] => [
        name,
        { tools: [{ source: name, description: '', parameters: { type: 'object' }, effect: 'idempotent' }] },
      ]);
      return Object.fromEntries(listed) as JsonValue;
    }
    if (effect.kind === 'human')
      return { value: { said: effect.ask.message }, timed_out: false, by: null, comment: null };
    if (effect.kind !== 'tool') throw new Error(`nobody answers ${effect.kind}`);
    const { source: name, args } = effect.invocation;
    const given = isObject(args) ? args : {};
    calls.push({ name: name.replace('host.g.', ''), args: given });
    return { kind: 'done', value: answers[name.replace('host.g.', '')]?.(given) ?? null };
  };
}

const numbers = (value: JsonValue | undefined): number[] => value as number[];
const sum = ({ current, updates }: JsonObject): number =>
  numbers(updates).reduce((total, each) => total + each, Number(current ?? 0));

const asking =
  (sum: number) =>
  ({ resume_payload: resumed = null }: JsonObject): JsonObject =>
    resumed === null
      ? { interrupt: { reason: 'go on?', payload: { n: 1 } } }
      : { writes: { list: [resumed], sum, most: sum } };

const answers = {
  plan: () => ({ next: ['left', 'right', 'again'] }),
  left: asking(1),
  again: asking(3),
  sum,
  most: ({ current, updates }: JsonObject) => Math.max(Number(current ?? 0), ...numbers(updates)),
};

const input = { sum: 10, context: { n: 7, empty: {} } };

describe('a graph whose parts are tools', () => {
  it('gives nodes the state and the context as they are, and reducers all updates of a super-step', () => {
    const calls: Call[] = [];
    const { ended, program } = runFake(source, { input, perform: worker(calls, answers) });
    expect(ended).toMatchObject({
      kind: 'completed',
      output: { sum: 16, most: 7, list: [{ said: 'go on?' }, 'r', { said: 'go on?' }] },
    });
    expect(calls.map(({ name }) => name)).toEqual([
      'sum',
      'plan',
      'left',
      'again',
      'left',
      'again',
      'sum',
      'most',
    ]);
    const context = { n: 7, empty: {} };
    expect(calls[0]?.args).toEqual({ current: null, updates: [10] });
    expect(calls[1]?.args).toEqual({ state: { sum: 10 }, context, thread: 'run' });
    expect(calls.filter(({ name }) => name === 'again').map(({ args }) => args['resume_payload'])).toEqual([
      undefined,
      { said: 'go on?' },
    ]);
    expect(calls.at(-2)?.args).toEqual({ current: 10, updates: [1, 2, 3] });
    expect(calls.at(-1)?.args).toEqual({ current: null, updates: [1, 7, 3] });
    expect(stepsIn(program.log.entries).at(-1)?.result['interrupts']).toEqual([
      { node: 'left', reason: 'go on?', payload: { n: 1 } },
      { node: 'again', reason: 'go on?', payload: { n: 1 } },
    ]);
  });

  it('comes to the same from whatever part of its log it goes on', () => {
    const once: Call[] = [];
    const whole = runFake(source, { input, perform: worker(once, answers) });
    const calls: Call[] = [];
    const options: FakeOptions = { input, perform: worker(calls, answers), handsOver: () => true };
    const { ended, handed } = runFake(source, options);
    expect(handed.length).toBeGreaterThan(5);
    expect(ended).toEqual(whole.ended);
    expect(calls).toEqual(once);
  });

  it('tells what a tool gives that is no result of a node, and what a worker fails with', () => {
    const run = (plan: () => JsonValue): unknown =>
      outputOf(source, { perform: worker([], { ...answers, plan }) });
    expect(() => run(() => ({ wirtes: {} }))).toThrow('graph g: node plan returned the unknown field wirtes');
    expect(() => run(() => ({ next: 'nowhere' }))).toThrow('Graph Execution Error: Node nowhere not found.');
    expect(() =>
      run(() => {
        throw new Error('out of order');
      }),
    ).toThrow('out of order');
  });

  it('takes a tool of the file itself', () => {
    const nodes = `nodes = { a = Tool { function(args) return { writes = { list = { args.context.n + args.state.n } } } end } }`;
    const inline = `local g = Graph { name = "g", channels = { list = Graph.append, n = true }, ${nodes} }
      Procedure { function() return g({ n = 1 }, { n = 2 }).values.list end }`;
    expect(outputOf(inline)).toEqual([3]);
  });
});
