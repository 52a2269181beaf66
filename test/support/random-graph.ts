import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import { pick, type Random } from './random-procedure.js';

/** What a node does in one super-step. */
export type Doing = {
  /** So many sleeps, one after the other. */
  sleeps: number;
  fails: boolean;
  writes: JsonObject;
  next: string[];
  ledger: { topic: string; key: string; data: JsonObject }[];
  intents: (JsonObject & { type: string })[];
};

/** A graph whose nodes do what a table says: by their names, and by the super-step. */
export interface RandomGraph {
  entrypoint: string;
  maxSteps: number;
  input: JsonObject;
  nodes: Record<string, Doing[]>;
}

const some = (random: Random, most: number): number => Math.floor(random() * (most + 1));
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

export function randomGraph(random: Random): RandomGraph {
  const names = times(1 + some(random, 4), (i) => `n${i}`);
  const maxSteps = 2 + some(random, 4);
  return {
    entrypoint: pick(random, names),
    maxSteps,
    input: random() < 0.5 ? {} : { list: ['given'], total: 5, text: 'in' },
    nodes: Object.fromEntries(
      names.map((name) => [
        name,
        times(maxSteps + 2, (step) => randomDoing(random, names, `${name}.${step + 1}`)),
      ]),
    ),
  };
}

function randomDoing(random: Random, names: readonly string[], id: string): Doing {
  const writes: Record<string, () => JsonValue> = {
    list: () => times(some(random, 2), (i) => `${id}/${i}`),
    newest: () => times(some(random, 3), (i) => `${id}/${i}`),
    last: () => id,
    total: () => 1 + some(random, 9),
    text: () => `${id};`,
  };
  const chosen = Object.keys(writes).filter(() => random() < 0.5);
  return {
    sleeps: some(random, 2),
    fails: random() < 0.04,
    writes: Object.fromEntries(chosen.map((channel) => [channel, writes[channel]?.() ?? null])),
    next: times(some(random, 3), () => pick(random, names)),
    ledger: times(some(random, 2), (i) => ({ topic: id, key: `${id}-${i}`, data: { n: i } })),
    intents: times(random() < 0.3 ? 1 + some(random, 1) : 0, (i) => ({ type: 'say', payload: `${id}-${i}` })),
  };
}

/** The graph in Lua. It is called in a pcall; the run gives how it ended. */
export function graphText({ entrypoint, maxSteps, nodes }: RandomGraph): string {
  const functions = Object.keys(nodes).map((name) => `${name} = doing("${name}"),`);
  return `
    local function doing(name) return function(state, context)
      local step = (state.step or 0) + 1
      local does = context[name][step]
      for i = 1, does.sleeps do Sleep(i) end
      if does.fails then error(name .. " failed in " .. step, 0) end
      local writes = { step = step }
      for channel, value in pairs(does.writes) do writes[channel] = value end
      return { writes = writes, next = does.next, ledger = does.ledger, intents = does.intents }
    end end
    local g = Graph {
      name = "g", entrypoint = "${entrypoint}", max_steps = ${maxSteps},
      channels = {
        list = Graph.append, newest = Graph.bounded(3), last = Graph.last,
        total = function(current, update) return (current or 0) + update end,
        text = function(current, update) return (current or "") .. update end,
        step = Graph.last,
      },
      nodes = { ${functions.join(' ')} },
    }
    Procedure {
      input = { input = field.object{}, nodes = field.object{} },
      function(input)
        local ok, result = pcall(g, input.input, input.nodes)
        if ok then return { values = result.values, step = result.metadata.step } end
        return { error = result }
      end,
    }`;
}

/** What a graph must come to. */
export interface Expected {
  output: JsonObject;
  /** Of each super-step that was recorded, the input first. */
  values: JsonObject[];
  ran: string[][];
  ledger: { topic: string; key: string; data: JsonObject; step: number }[];
  /** Key and payload, in the order in which they are sent. */
  intents: [string, JsonValue][];
}

/** The same graph one node after the other, without an engine: what the design says of channels, plans and ends. */
export function runInOrder({ entrypoint, maxSteps, input, nodes }: RandomGraph): Expected {
  const channels: Record<string, JsonValue> = {};
  const expected: Expected = { output: {}, values: [], ran: [], ledger: [], intents: [] };
  const write = (channel: string, update: JsonValue): void => {
    const before = channels[channel] ?? null;
    if (channel === 'list')
      channels[channel] = [...((before as JsonValue[] | null) ?? []), ...(update as JsonValue[])];
    else if (channel === 'newest')
      channels[channel] = [...((before as JsonValue[] | null) ?? []), ...(update as JsonValue[])].slice(-3);
    else if (channel === 'total') channels[channel] = Number(before ?? 0) + Number(update);
    else if (channel === 'text') channels[channel] = `${(before as string | null) ?? ''}${update as string}`;
    else channels[channel] = update;
  };
  const commit = (ran: string[]): void => {
    expected.values.push({ ...channels });
    expected.ran.push(ran);
  };
  for (const [channel, value] of Object.entries(input)) write(channel, value);
  commit([]);
  let plan = [entrypoint];
  for (let step = 1; plan.length > 0; step++) {
    if (step > maxSteps + 1) {
      expected.output = { error: `Graph Execution Error: Max steps (${maxSteps}) exceeded for thread run` };
      return expected;
    }
    const doings = plan.map((name) => ({ name, doing: nodes[name]?.[step - 1] as Doing }));
    const failed = doings.find(({ doing }) => doing.fails);
    if (failed !== undefined) {
      expected.output = { error: `${failed.name} failed in ${step}` };
      return expected;
    }
    const next: string[] = [];
    let index = 0;
    for (const { doing } of doings) {
      write('step', step);
      for (const [channel, update] of Object.entries(doing.writes)) write(channel, update);
      for (const name of doing.next) if (!next.includes(name)) next.push(name);
      expected.ledger.push(...doing.ledger.map((event) => ({ ...event, step })));
      for (const { payload } of doing.intents)
        expected.intents.push([`run/${step}/${index++}`, payload as JsonValue]);
    }
    commit(plan);
    plan = next;
    expected.output = { values: { ...channels }, step };
  }
  return expected;
}
