import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import type { Program } from '../../../../src/lua-bridge/index.js';
import { inline, research, stepsIn } from './research.js';
import {
  answerOf,
  fakeProgram,
  outputOf,
  runFake,
  runStart,
  type FakeOptions,
} from '../../../support/fake-host.js';

/** A graph of nodes alone, called inline; gives its last snapshot. */
const graphOf = (nodes: string, more = ''): string => `local g = Graph {
    name = "g", channels = { list = Graph.append, last = Graph.last }, ${more}
    nodes = { ${nodes} },
  }
  Procedure { function(input) return g({}, { who = "ann" }) end }`;

/** Runs with answers to what is open in an order of the test's. */
function runInOrder(source: string, pick: (open: number) => number, options: FakeOptions = {}): Program {
  const program = fakeProgram(source, options);
  for (let at = runStart; ;) {
    const turn = program.turn();
    if (turn.kind === 'slice') continue;
    if (turn.kind !== 'blocked') return program;
    const { pending } = program;
    const request = pending[pick(pending.length)];
    if (request === undefined) throw new Error('nothing is open');
    const value: JsonValue =
      request.effect.kind === 'human'
        ? { value: { yes: request.name }, timed_out: false, by: null, comment: null }
        : null;
    program.settle(request.position, { ok: true, value }, (at += 1_000));
  }
}

describe('a graph', () => {
  it('runs in super-steps and gives its last snapshot', () => {
    const { ended, program } = runFake(inline('return research({ notes = {} }, { customer = "c-1" })'));
    expect(ended).toMatchObject({
      kind: 'completed',
      output: {
        values: { notes: ['begun', 'l', 'r'], total: 3, plain: 'c-1', answer: 'begun,l,r', messages: [3, 3] },
        metadata: {
          step: 3,
          source: 'loop',
          writes: { join: { answer: 'begun,l,r', messages: [1, 2, 3] }, check: { messages: [3] } },
        },
        next_tasks: [],
        checkpoint_id: 'run/0.0.3',
        parent_checkpoint_id: 'run/0.0.2',
        created_at: '2026-01-02T03:04:05.000Z',
        interrupts: [],
        graph: 'research',
        thread: 'run',
      },
    });
    const steps = stepsIn(program.log.entries);
    expect(steps.map(({ name, kept, result }) => [name, result['ran'], kept['next_tasks']])).toEqual([
      ['input', [], ['plan']],
      ['step 1', ['plan'], ['left', 'right']],
      ['step 2', ['left', 'right'], ['join', 'check']],
      ['step 3', ['join', 'check'], []],
    ]);
    expect(program.log.entries.map(({ type, position }) => `${type} ${position}`)).toContain(
      'graph_node 0.0.2.0.1.0',
    );
    expect(steps[3]?.result['intents']).toEqual([
      {
        key: 'run/3/0',
        intent: { type: 'send_text', to: 'c-1', payload: { text: 'hi' } },
        from: 'research step 3 · join',
      },
    ]);
    expect(steps[2]?.kept['versions']).toEqual({ notes: 2, plain: 2, total: 2 });
    expect(steps[2]?.kept['versions_seen']).toEqual({
      plan: { notes: 0 },
      left: { notes: 1 },
      right: { notes: 1 },
    });
  });

  it('keeps what all nodes of a step write to one channel, in the order of the plan', () => {
    const nodes = `
      a = function() Sleep(1) return { writes = { list = { "a" }, last = "a" }, next = "end" } end,
      b = function() Sleep(1) return { writes = { list = { "b" }, last = "b" }, next = "end" } end,
      c = function() return { writes = { list = { "c" }, last = "c" }, next = "end" } end,
      begin = function() return { next = { "b", "a", "c" } } end,
      ["end"] = function() return nil end`;
    for (const pick of [() => 0, (open: number) => open - 1]) {
      const program = runInOrder(graphOf(nodes, 'entrypoint = "begin",'), pick);
      expect(program.turn()).toMatchObject({ output: { values: { list: ['b', 'a', 'c'], last: 'c' } } });
    }
  });

  it('runs the union of the next tasks, each once', () => {
    const nodes = `
      a = function() return { next = { "b", "c" } } end,
      b = function() return { next = { "d", "e" } } end,
      c = function() return { next = { "e", "f", "e" } } end,
      d = function() return { writes = { list = { "d" } } } end,
      e = function() return { writes = { list = { "e" } } } end,
      f = function() return { writes = { list = { "f" } } } end`;
    const { program } = runFake(graphOf(nodes));
    const steps = stepsIn(program.log.entries);
    expect(steps[3]?.result['ran']).toEqual(['d', 'e', 'f']);
    expect(steps[3]?.kept['values']).toEqual({ list: ['d', 'e', 'f'] });
  });

  it('keeps all events for the ledger with the step', () => {
    const { program } = runFake(inline('return research({}, {})'));
    expect(stepsIn(program.log.entries)[2]?.result['ledger']).toEqual([
      { topic: 'seen', key: 'l', data: { n: 1 } },
      { topic: 'seen', key: 'l2', data: {} },
      { topic: 'seen', key: 'r', data: { n: 2 } },
    ]);
  });

  it('begins with the first node by name where none is named', () => {
    const nodes = `zeta = function() return {} end, alpha = function() return { writes = { last = "alpha" } } end`;
    expect(outputOf(graphOf(nodes))).toMatchObject({ values: { last: 'alpha' } });
  });

  it('lets one super-step more than max_steps run', () => {
    const nodes = `a = function(state) return { writes = { list = { 1 } }, next = "a" } end`;
    const { ended, program } = runFake(graphOf(nodes));
    expect(ended).toMatchObject({
      error: { message: 'Graph Execution Error: Max steps (50) exceeded for thread run' },
    });
    expect(stepsIn(program.log.entries).at(-1)?.name).toBe('step 51');
    expect(() => outputOf(graphOf(nodes, 'max_steps = 2,'))).toThrow('Max steps (2) exceeded');
  });

  it('may go on for long without an effect, for each super-step is recorded', () => {
    const source = `local turning = Graph {
      channels = { n = Graph.last }, max_steps = 60,
      nodes = { turn = function(state)
        for i = 1, 20000 do end
        local n = (state.n or 0) + 1
        return { writes = { n = n }, next = n < 50 and { "turn" } or {} }
      end },
    }
    Procedure { function() return turning({}).values end }`;
    const limits = { idleInstructions: 400_000, sliceInstructions: 100_000 };
    expect(outputOf(source, { limits })).toEqual({ n: 50 });
    const endless = source.replace('20000 do', '2000000 do');
    expect(() => outputOf(endless, { limits })).toThrow(/400000 instructions without an effect/);
  });

  it('gives nodes a state and a context that they cannot change', () => {
    const state = `a = function(state) state.list[1] = "x" end`;
    expect(() => outputOf(graphOf(state).replace('g({}', 'g({ list = { 1 } }'))).toThrow(
      "a node can't change its state",
    );
    const context = `a = function(_, context) context.who = "x" end`;
    expect(() => outputOf(graphOf(context))).toThrow('the context of a graph is read-only');
  });

  it('has threads of their own for all graphs of a run but the first', () => {
    const source = inline(
      `local a = research({}, {}) local b = research({}, {}) return { a.thread, b.thread, b.checkpoint_id }`,
    );
    expect(outputOf(source)).toEqual(['run', 'run/1', 'run/1.0.3']);
  });

  it('runs a graph in a node, with values of its own', () => {
    const source = `
      local inner = Graph { name = "inner", channels = { list = Graph.append }, nodes = { only = function(state) return { writes = { list = { "inner", state.list[1] } } } end } }
      local outer = Graph { name = "outer", channels = { list = Graph.append, found = Graph.last }, nodes = {
        first = function(state) local s = inner({ list = state.list }) return { writes = { found = s.values.list } } end,
      } }
      Procedure { function(input) return outer({ list = { "a" } }).values end }`;
    expect(outputOf(source)).toEqual({ list: ['a'], found: ['a', 'inner', 'a'] });
  });

  it('is there for a required file', () => {
    const files = { 'parts.tac': `${research} return research` };
    const source = `local research = require("parts") Procedure { function(input) return research({}).values.total end }`;
    expect(outputOf(source, { files })).toBe(3);
  });

  it('replays from its log, wherever that ends', () => {
    const source = graphOf(`
      a = function() Sleep(1) return { writes = { list = { "a" } }, next = { "b", "c" } } end,
      b = function() Sleep(1) Sleep(1) return { writes = { list = { "b" } }, next = "d" } end,
      c = function() Sleep(1) return { writes = { list = { "c" } }, next = "d" } end,
      d = function(state) return { writes = { last = #state.list } } end`);
    const whole = runFake(source);
    const { entries } = whole.program.log;
    for (let cut = 0; cut <= entries.length; cut++) {
      const again = runFake(source, { carried: entries.slice(0, cut) });
      const values = { list: ['a', 'b', 'c'], last: 3 };
      expect(again.ended, `cut at ${cut}`).toMatchObject({ kind: 'completed', output: { values } });
      expect(again.performed.length, `cut at ${cut}`).toBeLessThanOrEqual(whole.performed.length);
    }
  });
});

describe('a node that fails', () => {
  const failing = (body: string): string => `
    a = function() return { next = { "b", "bad", "c" } } end,
    b = function() Sleep(1) return { writes = { list = { "b" } } } end,
    bad = function() ${body} end,
    c = function() Sleep(1) return { writes = { list = { "c" } } } end`;

  it('stops no other, and nothing of the step reaches the channels', () => {
    const { ended, program, performed } = runFake(graphOf(failing('error("boom")')));
    expect(ended).toMatchObject({ kind: 'failed', error: { code: 'lua_error', message: /boom$/ } });
    expect(performed).toHaveLength(2);
    const nodes = program.log.entries.filter(({ type }) => type === 'graph_node');
    expect(nodes.map(({ name, outcome }) => [name, outcome.ok]).sort()).toEqual([
      ['a', true],
      ['b', true],
      ['bad', false],
      ['c', true],
    ]);
    expect(stepsIn(program.log.entries).map(({ name }) => name)).toEqual(['input', 'step 1']);
  });

  it('can be caught by who calls the graph, with its code, and with its table', () => {
    const caught = (body: string): JsonValue =>
      outputOf(
        graphOf(failing(body)).replace(
          'return g({}, { who = "ann" })',
          `local ok, e = pcall(g, {}) return { tostring(ok), type(e) == "table" and e.n or e, Error.code(e) }`,
        ),
      );
    expect(caught('error({ n = 7 })')).toEqual(['false', 7]);
    expect(caught('Human.approve{ message = "" }')).toMatchObject([
      'false',
      /Human.approve/,
      'human_request_invalid',
    ]);
  });

  it('leaves what the others gave in the log, for a run that goes on from there', () => {
    const source = (body: string): string => graphOf(failing(body));
    const failed = runFake(source('Sleep(2) error("boom")'));
    const entries = failed.program.log.entries.filter(
      ({ position, type }) =>
        !position.startsWith('0.0.2.0.1') && !['graph', 'parallel'].includes(type) && position !== '0.0.2',
    );
    const parallel = failed.program.log.entries.filter(({ position }) => position === '0.0.1.0');
    const carried = failed.program.log.entries.filter(
      (each) => entries.includes(each) || parallel.includes(each),
    );
    const { ended, performed } = runFake(source('Sleep(2) return {}'), { carried });
    expect(ended).toMatchObject({ output: { values: { list: ['b', 'c'] } } });
    expect(performed).toEqual(['sleep 0.0.2.0.1.0.0']);
  });
});

describe('Graph.interrupt', () => {
  const asking = graphOf(`
    a = function() return { next = { "b", "c", "d" } } end,
    b = function() local got = Graph.interrupt("first", { n = 1 }) return { writes = { list = { got } } } end,
    c = function() Sleep(1) return { writes = { list = { "c" } } } end,
    d = function() local got = Graph.interrupt("second") return { writes = { list = { got.yes } } } end`);

  it('is an open question for each node, side by side, and gives what was decided', () => {
    const program = fakeProgram(asking);
    program.turn();
    expect(program.pending.map(({ type, name, effect }) => [type, name, effect.kind])).toEqual([
      ['hitl_input', 'first', 'human'],
      ['sleep', 'sleep 1s', 'sleep'],
      ['hitl_input', 'second', 'human'],
    ]);
    expect(program.pending[0]?.effect).toMatchObject({
      ask: { kind: 'input', message: 'first', context: { n: 1 }, form: { type: 'any' } },
    });
    const ended = runInOrder(asking, (open) => open - 1);
    expect(ended.turn()).toMatchObject({
      output: {
        values: { list: [{ yes: 'first' }, 'c', 'second'] },
        interrupts: [
          { node: 'b', reason: 'first', payload: { n: 1 } },
          { node: 'd', reason: 'second' },
        ],
      },
    });
    expect(ended.log.entries.filter(({ type }) => type === 'sleep')).toHaveLength(1);
  });

  it('takes a time and who may decide', () => {
    const source = graphOf(
      'a = function() return { writes = { last = Graph.interrupt("q", nil, { timeout = "1d", approvers = { "ann" }, default = "late" }) } } end',
    );
    const program = fakeProgram(source);
    program.turn();
    expect(program.pending[0]?.effect).toMatchObject({
      ask: { timeoutMs: 86_400_000, approvers: ['ann'], default: 'late' },
    });
    expect(() => outputOf(source.replace('"1d"', '"x"'))).toThrow(/timeout/);
  });

  it('goes on with its default when the time is over', () => {
    const source = graphOf(`
      a = function() return { writes = { last = Graph.interrupt("q", nil, { timeout = "1d", default = { late = true } }) }, next = "b" } end,
      b = function(state) return { writes = { list = { state.last.late } } } end`);
    const { ended } = runFake(source, {
      perform: (effect, request) =>
        effect.kind === 'human'
          ? { value: effect.ask.default ?? null, timed_out: true, by: null, comment: null }
          : answerOf(effect, request),
    });
    expect(ended).toMatchObject({ output: { values: { last: { late: true }, list: [true] } } });
  });

  it('is for nodes', () => {
    expect(() => outputOf('Procedure { function() Graph.interrupt("x") end }')).toThrow(
      'Graph.interrupt is for nodes of a graph',
    );
  });
});

describe('what a node returns', () => {
  it.each([
    ['return 1', 'graph g: node a must return a table with writes, next, ledger, intents, got 1'],
    ['return { wirtes = {} }', 'graph g: node a returned the unknown field wirtes'],
    [
      'return { writes = { notes = 1 } }',
      "writes to the channel notes, which the graph doesn't have; it has last, list",
    ],
    ['return { writes = 1 }', 'graph g: node a needs writes as a table'],
    ['return { next = 3 }', 'graph g: node a needs next as the name of a node, or a list of names, got 3'],
    ['return { next = "ghost" }', 'Graph Execution Error: Node ghost not found.'],
    ['return { ledger = { { topic = "t" } } }', 'graph g: node a needs ledger[1] as { topic'],
    ['return { ledger = 1 }', 'graph g: node a needs ledger as a list of tables, got 1'],
    ['return { intents = { { to = "x" } } }', 'graph g: node a needs intents[1] as { type'],
    ['return { intents = { { type = "x", key = "k" } } }', 'gives intents[1] a key'],
    [
      'return { writes = { list = "x" } }',
      'graph g: channel list takes lists, got "x"; write { value } for one value',
    ],
    ['return { writes = { last = print } }', 'writes.last is a function'],
  ])('%s is refused', (body, message) => {
    expect(() => outputOf(graphOf(`a = function() ${body} end`))).toThrow(message);
  });
});

describe('a reducer in Lua', () => {
  const reducing = (
    body: string,
  ): string => `local g = Graph { name = "g", channels = { total = function(current, update) ${body} end },
      nodes = { a = function() return { writes = { total = 2 } } end } }
    Procedure { function(input) return g({ total = 1 }).values.total end }`;

  it('computes the new value of its channel, for the input too', () => {
    expect(outputOf(reducing('return (current or 10) + update'))).toBe(13);
  });

  it.each([
    ['Sleep(1) return 1', 'graph g: channel total: its reducer asks for something that takes time'],
    ['return nil', 'graph g: channel total: its reducer returned nothing'],
    ['error("boom")', 'boom'],
  ])('%s is refused', (body, message) => {
    expect(() => outputOf(reducing(body))).toThrow(message);
  });

  it('may use those of Graph', () => {
    expect(
      outputOf(
        reducing('return Graph.append(current, { update })[1]').replace('{ total = 1 }', '{ total = {} }'),
      ),
    ).toBeDefined();
    expect(outputOf('return Graph.bounded(2)({ 1, 2 }, { 3 })')).toEqual([2, 3]);
    expect(outputOf('return Graph.last(1, 2)')).toBe(2);
  });
});
