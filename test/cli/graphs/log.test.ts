import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

/** Nodes side by side, a graph in a node, a node that a worker has, a wait and a message that nobody takes. */
const graph = `
local till = Tool { use = "host.till.pay" }
local inner = Graph { name = "inner", channels = { x = Graph.last }, nodes = {
  only = function() return { writes = { x = 1 } } end,
} }
main = Graph {
  channels = { notes = Graph.append, answer = Graph.last },
  entrypoint = "plan",
  nodes = {
    plan = function() return { writes = { notes = { "begun" } }, next = { "pay", "look" } } end,
    pay = till,
    look = function() inner({}) return { next = "ask", ledger = { { topic = "seen", key = "l" } }, intents = { { type = "nope" } } } end,
    ask = function()
      local said = Graph.interrupt("send it?", { to = "c-1" })
      if not said then error("nobody agrees") end
      return { writes = { answer = "sent" } }
    end,
  },
}`;

const tools = `
import { appendReducer, defineGraph } from '${pathToFileURL(resolve('dist/graph.js')).href}';
export const till = defineGraph({
  name: 'till', channels: { notes: appendReducer() },
  nodes: { pay: async () => ({ stateDiff: { notes: ['paid'] } }) },
});`;

let folder: CliFolder;
beforeAll(async () => {
  folder = cliFolder();
  folder.write('graph.tac', graph);
  folder.write('tools.mjs', tools);
  folder.write('.tactus/config.yml', 'tool_modules: [tools.mjs]\n');
  const started = await folder.run(['run', 'graph.tac', '--id', 'thread', '--json']);
  expect(started.code, started.stderr).toBe(3);
});
afterAll(() => folder?.close());

/** Without how long each entry took, and the spaces of the table. */
async function shownLog(...flags: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await folder.run(['log', 'thread', ...flags]);
  expect(code, stderr).toBe(0);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.replace(/(?<=\S) {2,}/g, ' ').replace(/ [\d.]+ m?s\b/, ''));
}

describe('log of a graph', () => {
  const waiting = [
    '0 tool_list tools of host.till.pay',
    'super-step 0: input · main',
    '  1.0.0 super_step input',
    'super-step 1: plan · main',
    '  plan wrote notes',
    '  1.0.1.0.0.0 graph_node plan',
    '  1.0.1.0 parallel parallel',
    '  1.0.1 super_step step 1',
    'super-step 2: pay, look · main',
    '  pay wrote notes',
    expect.stringMatching(/^ {2}intent nope failed · thread\/2\/0 · Intent nope: the worker has no receiver/),
    '  1 ledger event',
  ];

  it('has entries of a super-step under what it did, in the graph that called another one', async () => {
    const lines = await shownLog();
    expect(lines.slice(0, waiting.length)).toEqual(waiting);
    const rest = lines.slice(waiting.length);
    const inner = rest.indexOf('  super-step 0: input · inner');
    expect(rest.slice(inner, inner + 6)).toEqual([
      '  super-step 0: input · inner',
      '    1.0.2.0.1.0.0.0.0 super_step input',
      '  super-step 1: only · inner',
      '    only wrote x',
      '    1.0.2.0.1.0.0.0.1.0.0.0 graph_node only',
      '    1.0.2.0.1.0.0.0.1.0 parallel parallel',
    ]);
    expect(rest.find((line) => line.includes('tool_call'))).toMatch(
      /^ {2}1\.0\.2\.0\.0\.0\.0 tool_call .*pay/,
    );
    expect(rest.find((line) => line.includes('intent'))).toMatch(
      /^ {2}1\.1\.0 intent nope Intent nope: the worker/,
    );
    expect(rest.slice(-2)).toEqual([
      'super-step 3: ask · main · waiting',
      '  ask waits: send it? {"to":"c-1"}',
    ]);
  });

  it('says of each entry which super-step it is part of, and of each super-step what it did', async () => {
    const log = (await folder.run(['log', 'thread', '--json'])).json();
    const entries = log['execution_log'] as { position: string; super_step?: string }[];
    expect(
      Object.fromEntries(entries.map(({ position, super_step: step }) => [position, step])),
    ).toMatchObject({
      '1.0.0': '1.0.0',
      '1.0.2.0.0.0.0': '1.0.2',
      '1.0.2.0.1.0.0.0.1.0.0.0': '1.0.2.0.1.0.0.0.1',
      '1.1.0': '1.0.2',
    });
    const steps = log['super_steps'] as JsonObject[];
    expect(steps.find(({ position }) => position === '1.0.2')).toMatchObject({
      ...{ graph: 'main', thread: 'thread', step: 2, source: 'loop', status: 'completed', ledger: 1 },
      nodes: [
        { node: 'pay', position: '1.0.2.0.0.0', status: 'completed', writes: { notes: ['paid'] } },
        { node: 'look', status: 'completed', writes: {} },
      ],
      intents: [{ key: 'thread/2/0', type: 'nope', status: 'failed' }],
    });
    expect(steps.at(-1)).toMatchObject({
      ...{ position: '1.0.3', status: 'waiting' },
      nodes: [
        {
          node: 'ask',
          status: 'waiting',
          interrupts: [{ reason: 'send it?', request: 'thread/1.0.3.0.0.0.0' }],
        },
      ],
    });
  });

  it('says which node has failed', async () => {
    expect((await folder.run(['respond', 'thread/1.0.3.0.0.0.0', 'false'])).code).toBe(0);
    expect((await folder.run(['result', 'thread'])).code).toBe(1);
    const lines = await shownLog();
    expect(lines.slice(0, waiting.length)).toEqual(waiting);
    const last = lines.indexOf('super-step 3: ask · main · failed');
    expect(lines[last + 1]).toBe('  ask failed: graph.tac:15: nobody agrees');
    expect(lines.at(-1)).toMatch(/^1 graph main/);
  });
});
