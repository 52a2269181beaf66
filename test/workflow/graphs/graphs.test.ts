import { beforeEach, describe, expect, it } from 'vitest';
import { readGraphState } from '../../../src/client/graphs/graph-state.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = providerWithWorker();
beforeEach(() => around.provider.reply(() => ({ text: 'said', usage: { input: 10, output: 1 } })));

const sourceOf = (text: string) => ({ entry: 'main.tac', files: { 'main.tac': text } });

/** How many executions a run had: each failed no workflow task, and replays. */
const executionsOf = async (run: TactusRun): Promise<number> =>
  (await soundExecutions(around.server.client, run)).length;

/** Ids of open requests by their messages, once there are so many. */
async function openRequests(run: TactusRun, count: number): Promise<Record<string, string>> {
  const open = await waitUntil(async () => {
    const pending = await run.pending();
    return pending.length === count && pending;
  });
  return Object.fromEntries(open.map(({ message, id }) => [message, id]));
}

describe('a graph', () => {
  it('asks agents of its nodes side by side, and joins what they wrote in the order of the plan', async () => {
    const source = sourceOf(`
      writer = Agent { model = "openai/gpt-5-mini", system_prompt = "Write" }
      local ask = function(who, wait) return function(state)
        local text = writer({ message = who }).output
        if wait then Sleep(0.3) end
        return { writes = { said = { who .. " " .. text } }, next = "join" }
      end end
      main = Graph {
        channels = { said = Graph.append, count = Graph.last },
        entrypoint = "plan",
        nodes = {
          plan = function() return { next = { "slow", "quick" } } end,
          slow = ask("slow", true),
          quick = ask("quick", false),
          join = function(state) return { writes = { count = #state.said } } end,
        },
      }`);
    const run = await around.server.tactus.start(source, {});
    expect(await run.result()).toEqual({ said: ['slow said', 'quick said'], count: 2 });
    expect(around.provider.requests).toHaveLength(2);
    await executionsOf(run);
  });

  it('keeps all interrupts of a step open side by side, and runs no neighbour twice', async () => {
    const source = sourceOf(`
      writer = Agent { model = "openai/gpt-5-mini", system_prompt = "Write" }
      main = Graph {
        channels = { got = Graph.append },
        entrypoint = "plan",
        nodes = {
          plan = function() return { next = { "a", "b", "c" } } end,
          a = function() return { writes = { got = { Graph.interrupt("first", { n = 1 }) } } } end,
          b = function() return { writes = { got = { writer({ message = "b" }).output } } } end,
          c = function() return { writes = { got = { Graph.interrupt("second").deep.er, Human.approve("third") } } } end,
        },
      }`);
    const run = await around.server.tactus.start(source, {});
    const { first = '', second = '' } = await openRequests(run, 2);
    await waitUntil(async () => {
      const open = (await readGraphState(run)).snapshots.at(-1);
      return open?.next_tasks.length === 2 && open;
    });
    const waiting = (await readGraphState(run)).snapshots;
    expect(waiting.at(-1)).toMatchObject({
      metadata: { step: 2, source: 'interrupted', writes: { b: { got: ['said'] } } },
      next_tasks: ['a', 'c'],
      interrupts: [
        { node: 'a', reason: 'first', payload: { n: 1 } },
        { node: 'c', reason: 'second', payload: null },
      ],
    });
    await run.decide({ id: 'b', request: second, value: { deep: { er: [1] } } });
    const { third = '' } = await openRequests(run, 2);
    await run.decide({ id: 'a', request: first, value: ['x'] });
    await run.decide({ id: 'c', request: third, value: true });
    expect(await run.result()).toEqual({ got: [['x'], 'said', [1], true] });
    expect(around.provider.requests).toHaveLength(1);
    const { snapshots } = await readGraphState(run);
    expect(snapshots.slice(0, waiting.length)).toEqual(waiting);
    expect(snapshots.slice(2).map(({ checkpoint_id: id }) => id.slice(run.runId.length))).toEqual([
      '/0.0.2~0.0.0,1,2.0.0',
      '/0.0.2~0.0.0,2.0.0',
      '/0.0.2~0.0.0,2.0.1-after-1',
      '/0.0.2~2.0.1-after-1',
      '/0.0.2',
    ]);
    expect(snapshots.at(-1)).toMatchObject({ metadata: { step: 2, source: 'loop' }, next_tasks: [] });
    await executionsOf(run);
  });

  it('fails with what a node failed with, when its neighbours have ended', async () => {
    const source = sourceOf(`
      local g = Graph {
        name = "g", channels = { got = Graph.append }, entrypoint = "plan",
        nodes = {
          plan = function() return { writes = { got = { "begun" } }, next = { "bad", "good" } } end,
          bad = function() error("boom") end,
          good = function() Sleep(0.3) return { writes = { got = { "good" } } } end,
        },
      }
      Procedure { function() return g({}) end }`);
    const run = await around.server.tactus.start(source, {});
    await expect(run.result()).rejects.toMatchObject({ code: 'lua_error', message: 'main.tac:6: boom' });
    const { execution_log: entries } = await run.log();
    const nodes = entries.filter(({ type }) => type === 'graph_node');
    expect(nodes.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'plan completed',
      'bad failed',
      'good completed',
    ]);
    expect((await readGraphState(run)).snapshots.at(-1)?.values).toEqual({ got: ['begun'] });
  });

  it('goes on after each continue-as-new where it stood', async () => {
    const source = sourceOf(`
      main = Graph {
        channels = { got = Graph.append, left = Graph.last, last3 = Graph.bounded(3) },
        max_steps = 100,
        nodes = {
          a = function(state)
            Sleep(0.01)
            local left = state.left - 1
            return { writes = { got = { left }, left = left, last3 = { left } }, next = left > 0 and { "a", "b" } or nil,
              ledger = { { topic = "left", key = tostring(left) } } }
          end,
          b = function(state) Sleep(0.01) return {} end,
        },
      }`);
    const run = await around.server.tactus.start(source, { left: 20 }, { limits: { historyEvents: 40 } });
    const expected = Array.from({ length: 20 }, (_, i) => 19 - i);
    expect(await run.result()).toEqual({ got: expected, left: 0, last3: [2, 1, 0] });
    expect(await executionsOf(run)).toBeGreaterThan(1);
    const { snapshots, ledger } = await readGraphState(run);
    expect(snapshots.map(({ metadata }) => metadata.step)).toEqual(Array.from({ length: 21 }, (_, i) => i));
    expect(ledger.map(({ key }) => Number(key))).toEqual(expected);
  });

  it('is a tool of an agent, whose result has the values of its channels', async () => {
    const source = sourceOf(`
      research = Graph {
        description = "Looks things up", channels = { question = Graph.last, notes = Graph.append },
        nodes = { look = function(state) return { writes = { notes = { "about " .. state.question } } } end },
      }
      clerk = Agent { model = "openai/gpt-5-mini", system_prompt = "Work", tools = { research } }
      Procedure { function() return clerk({ message = "Go" }).output end }`);
    around.provider.reply(({ body }) => {
      const messages = body['messages'] as JsonObject[];
      const last = messages.at(-1);
      if (last?.['role'] === 'tool') return { text: JSON.stringify(last['content']) };
      return { toolCalls: [{ name: 'research', arguments: '{"question":"lamps"}' }] };
    });
    const run = await around.server.tactus.start(source, {});
    const said = JSON.stringify(await run.result());
    for (const part of ['question', 'lamps', 'notes', 'about lamps']) expect(said).toContain(part);
    const [asked] = around.provider.requests;
    expect(asked?.body['tools']).toMatchObject([
      {
        function: {
          name: 'research',
          description: 'Looks things up',
          parameters: { properties: { notes: { type: 'array' }, question: {} } },
        },
      },
    ]);
  });
});
