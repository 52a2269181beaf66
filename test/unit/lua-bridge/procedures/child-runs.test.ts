import { describe, expect, it } from 'vitest';
import type { ChildRun } from '../../../../src/contract/runs/child-run.js';
import type { Effect } from '../../../../src/contract/effects/effects.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { answerOf, outputOf, runFake, runStart, type Perform } from '../../../support/fake-host.js';

const completed = (id: string, output: JsonValue): ChildRun => ({
  ...{ id, status: 'completed', terminal: true, output, error: null },
});
const running = (id: string): ChildRun => ({
  ...{ id, status: 'running', terminal: false, output: null, error: null },
});
const failed = (id: string): ChildRun => ({
  ...{ id, status: 'failed', terminal: true, output: null, error: 'no luck' },
});

/** A host whose child runs stand as they are told to; keeps what was asked of it. */
function host(stand: (id: string) => ChildRun, complete?: boolean): { perform: Perform; asked: Effect[] } {
  const asked: Effect[] = [];
  const perform: Perform = (effect, request) => {
    asked.push(effect);
    if (effect.kind !== 'children') return answerOf(effect, request);
    const children = effect.ids.map(stand);
    const isMet = complete ?? children.every(({ terminal }) => terminal);
    return { children: children as unknown as JsonValue[], complete: isMet };
  };
  return { perform, asked };
}

describe('Procedure.spawn', () => {
  it('gives the id of a run, as a text that can be kept', () => {
    const { perform, asked } = host(running);
    const source = `
      state.h = Procedure.spawn("a.tac", { n = 1 })
      local other = Procedure.spawn("b.tac")
      return { state.h, other, type(other), math.type and 1 }`;
    expect(outputOf(source, { perform })).toEqual(['run/0', 'run/1', 'string', 1]);
    expect(asked).toEqual([
      { kind: 'spawn', file: 'a.tac', input: { n: 1 } },
      { kind: 'spawn', file: 'b.tac', input: {} },
    ]);
  });

  it('names its checkpoints, which are no calls', () => {
    const { program } = runFake('Procedure.wait(Procedure.spawn("a.tac"))');
    expect(program.log.entries.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'procedure_spawn a.tac',
      'procedure_wait a.tac',
    ]);
  });

  it('is answered from the carried log, and so is all that was known of the run', () => {
    const source = `
      local h = Procedure.spawn("a.tac")
      local first = Procedure.wait(h)
      Sleep(1)
      return { first, Procedure.wait(h), Procedure.is_complete(h), Procedure.status(h).name }`;
    const first = runFake(source);
    const again = runFake(source, { carried: first.program.log.entries });
    expect(again.performed).toEqual([]);
    expect(again.ended).toEqual(first.ended);
    expect(first.performed).toEqual(['procedure_spawn 0', 'procedure_wait 1', 'sleep 2']);
  });
});

describe('who waits', () => {
  const two = 'local a, b = Procedure.spawn("a.tac"), Procedure.spawn("b.tac")\n';

  it('gets the output, and asks once', () => {
    const { perform, asked } = host((id) => completed(id, { from: id }));
    const source = `${two} return { Procedure.wait(b), Procedure.wait_all({ a, b }), Procedure.wait_any({ b, a }) }`;
    expect(outputOf(source, { perform })).toEqual([
      { from: 'run/1' },
      [{ from: 'run/0' }, { from: 'run/1' }],
      'run/1',
    ]);
    expect(asked.slice(2)).toEqual([
      { kind: 'children', ids: ['run/1'], until: 'all', timeoutMs: null },
      { kind: 'children', ids: ['run/0'], until: 'all', timeoutMs: null },
    ]);
  });

  it('gets the first that has ended, in the order of the list', () => {
    const { perform } = host((id) => (id === 'run/1' ? completed(id, 1) : running(id)), true);
    expect(outputOf(`${two} return Procedure.wait_any({ a, b })`, { perform })).toBe('run/1');
  });

  it.each([
    ['Procedure.wait(a)', 'Procedure.wait: a.tac (run run/0) failed: no luck'],
    ['Procedure.wait_all({ b, a })', 'Procedure.wait_all: a.tac (run run/0) failed: no luck'],
  ])('gets the error of one that failed: %s', (call, message) => {
    const { perform } = host((id) => (id === 'run/0' ? failed(id) : completed(id, 1)));
    const source = `${two} return { pcall(function() return ${call} end) }`;
    expect(outputOf(source, { perform })).toEqual([false, message]);
    expect(runFake(`${two} return ${call}`, { perform }).ended).toMatchObject({
      error: { code: 'child_failed', details: { line: 2 } },
    });
  });

  it.each([
    ['Procedure.wait(a, { timeout = 5 })', 'run/0 (a.tac) has not ended after 5 s; it goes on'],
    ['Procedure.wait(a, "2m")', 'run/0 (a.tac) has not ended after 120 s; it goes on'],
    ['Procedure.wait_all({ a, b }, 1)', 'run/0 (a.tac), run/1 (b.tac) have not ended after 1 s; they go on'],
    ['Procedure.wait_any({ a, b }, { timeout = 1 })', 'have not ended after 1 s'],
  ])('gets an error when the time is over: %s', (call, message) => {
    const { perform } = host(running);
    expect(runFake(`${two} return ${call}`, { perform }).ended).toMatchObject({
      error: { code: 'wait_timed_out', message: expect.stringContaining(message) as string },
    });
  });

  it('has holes where children gave nothing', () => {
    const { perform } = host((id) => completed(id, id === 'run/0' ? null : 2));
    const source = `${two} local r = Procedure.wait_all({ a, b }) return { r[1] == nil, r[2] }`;
    expect(outputOf(source, { perform })).toEqual([true, 2]);
  });

  it.each([
    ['Procedure.wait(nil)', 'a handle of Procedure.spawn expected'],
    ['Procedure.wait("")', 'a handle of Procedure.spawn expected'],
    ['Procedure.wait("run/0", { timeout = "soon" })', 'Procedure.wait: timeout must be seconds'],
    ['Procedure.wait_any({})', 'needs at least one handle'],
    ['Procedure.wait_all({ 5 })', 'needs a list of handles'],
    ['Procedure.wait_all("run/0")', 'needs a list of handles'],
    ['Procedure.all_complete(nil)', 'needs a list of handles'],
  ])('is told what is wrong: %s', (call, message) => {
    const { perform, asked } = host(running);
    expect(outputOf(`return { pcall(function() ${call} end) }`, { perform })).toEqual([
      false,
      expect.stringContaining(message),
    ]);
    expect(asked).toEqual([]);
  });
});

describe('who looks', () => {
  const one = 'local h = Procedure.spawn("a.tac")\n';
  const started_at = new Date(runStart + 1_000).toISOString();

  it.each<[string, (id: string) => ChildRun, object]>([
    ['goes on', running, { status: 'running' }],
    [
      'has completed',
      (id) => completed(id, { n: 1 }),
      { status: 'completed', result: { n: 1 }, completed_at: new Date(runStart + 2_000).toISOString() },
    ],
    [
      'has failed',
      failed,
      { status: 'failed', error: 'no luck', completed_at: new Date(runStart + 2_000).toISOString() },
    ],
  ])('sees that it %s', (_how, stand, expected) => {
    const { perform } = host(stand);
    const seen = { procedure_id: 'run/0', name: 'a.tac', started_at, ...expected };
    expect(outputOf(`${one} return Procedure.status(h)`, { perform })).toEqual(seen);
    const terminal = stand('').terminal;
    const asks = 'return { Procedure.is_complete(h), Procedure.all_complete({ h }) }';
    expect(outputOf(`${one} ${asks}`, { perform })).toEqual([terminal, terminal]);
  });

  it('sees a cancelled one as ended, and gets its error', () => {
    const { perform, asked } = host(running);
    const source = `${one} Procedure.cancel(h) Procedure.cancel(h)
      return { Procedure.status(h).status, Procedure.is_complete(h), pcall(Procedure.wait, h) }`;
    expect(outputOf(source, { perform })).toEqual([
      'cancelled',
      true,
      false,
      expect.stringContaining('a.tac (run run/0) cancelled'),
    ]);
    expect(asked.map(({ kind }) => kind)).toEqual(['spawn', 'cancel_child']);
  });

  it("can't cancel what it has not started", () => {
    const { perform, asked } = host(running);
    expect(outputOf('return { pcall(Procedure.cancel, "other") }', { perform })).toEqual([
      false,
      expect.stringContaining('other is no run that this one has started'),
    ]);
    expect(asked).toEqual([]);
  });

  it('says something to it that nobody hears, as in the reference', () => {
    expect(outputOf(`${one} return Procedure.inject(h, "hurry") == nil`)).toBe(true);
  });
});

describe('Procedure.await_children', () => {
  it('tells how all of them ended', () => {
    const { perform, asked } = host((id) => (id === 'x' ? failed(id) : completed(id, { n: 1 })));
    const source = 'return Procedure.await_children{ children = { { id = "x" }, { id = "y" } } }';
    expect(outputOf(source, { perform })).toEqual({
      children: [
        { id: 'x', status: 'failed', terminal: true, error: 'no luck' },
        { id: 'y', status: 'completed', terminal: true, output: { n: 1 } },
      ],
      complete: true,
    });
    expect(asked).toEqual([{ kind: 'children', ids: ['x', 'y'], until: 'all', timeoutMs: null }]);
    expect(runFake(source, { perform }).program.log.entries).toMatchObject([
      { type: 'external_children_wait', name: 'x, y' },
    ]);
  });

  it('tells of those that go on where one is enough', () => {
    const { perform } = host((id) => (id === 'x' ? running(id) : completed(id, 2)), true);
    const source = 'return Procedure.await_children{ mode = "any", children = { { id = "x" }, "y" } }';
    expect(outputOf(source, { perform })).toEqual({
      children: [
        { id: 'x', status: 'running', terminal: false },
        { id: 'y', status: 'completed', terminal: true, output: 2 },
      ],
      complete: true,
    });
  });

  it.each([
    ['"x"', 'needs a table with children and mode'],
    ['{}', 'needs a table with children and mode'],
    ['{ mode = "all" }', 'needs at least one child'],
    ['{ children = {} }', 'needs at least one child'],
    ['{ children = { { id = "" } } }', 'needs the id of a run'],
    ['{ children = { { name = "x" } } }', 'needs the id of a run'],
    ['{ children = { { id = "x" }, { id = "x" } } }', 'has the child "x" twice'],
    ['{ children = { { id = "x" } }, mode = "some" }', 'needs "all" or "any" as mode, got "some"'],
    ['{ children = { { id = "x" } }, timeout = 5 }', 'has no field timeout'],
  ])('refuses %s', (given, message) => {
    expect(runFake(`return Procedure.await_children(${given})`).ended).toMatchObject({
      error: { code: 'lua_error', message: expect.stringContaining(message) as string },
    });
  });
});
