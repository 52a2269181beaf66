import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/contract/runs/limits.js';
import { converse, toolCall, type Answer } from '../../support/converse.js';
import { answerOf, fakeProgram, runFake, type FakeOptions } from '../../support/fake-host.js';

const long = 'local n = 0 for i = 1, 200000 do n = n + i % 3 end return n';

describe('a long computation', () => {
  it('is cut into slices, and comes to the same', () => {
    const whole = runFake(long, { limits: { sliceInstructions: 10_000_000 } });
    const cut = runFake(long, { limits: { sliceInstructions: 50_000 } });
    expect(whole.slices).toBe(0);
    expect(cut.slices).toBeGreaterThan(10);
    expect(cut.ended).toEqual(whole.ended);
  });

  it.each([
    ['in pcall', 'return pcall(function() for i = 1, 5000 do end return "end" end)'],
    [
      'in a metamethod',
      'return setmetatable({}, {__index = function() for i = 1, 5000 do end return "end" end}).x',
    ],
    [
      'in an iterator',
      'local n = 0 for v in function(_, l) for i = 1, 500 do end if (l or 0) < 5 then return (l or 0) + 1 end end do n = n + v end return n',
    ],
    [
      'in a sort',
      'local t = {} for i = 1, 200 do t[i] = i * 7919 % 199 end table.sort(t, function(a, b) return a > b end) return t[1]',
    ],
    ['in gsub', 'return (("x"):rep(500):gsub("x", function(c) for i = 1, 50 do end return c:upper() end))'],
    [
      'in a coroutine',
      'local co = coroutine.wrap(function() for i = 1, 5000 do end coroutine.yield("a") for i = 1, 5000 do end return "b" end) return co() .. co()',
    ],
    [
      'in a coroutine in a coroutine',
      'return coroutine.wrap(function() return coroutine.wrap(function() for i = 1, 5000 do end return "deep" end)() end)()',
    ],
    [
      'in branches',
      'return Parallel.map({1, 2, 3}, function(n) for i = 1, 3000 do end Sleep(1) for i = 1, 3000 do end return n end)',
    ],
    [
      'in a tool',
      't = Tool {description = "", input = {}, function() for i = 1, 5000 do end return {1} end} return t({})',
    ],
    ['in a step', 'return step("s", function() for i = 1, 5000 do end return 1 end)'],
    ['with long strings', 'local s = "" for i = 1, 300 do s = s .. "x" end return #s'],
    [
      'in varargs and multiple results',
      'local function f(...) for i = 1, 300 do end return ... end return table.pack(f(f(f(1, nil, 3)))).n',
    ],
    [
      'in closures and upvalues',
      'local n = 0 local function add() n = n + 1 return add end for i = 1, 500 do add()()() end return n',
    ],
    ['at goto', 'local n = 0 ::again:: n = n + 1 if n < 5000 then goto again end return n'],
  ])('is cut %s as well', (_where, source) => {
    const whole = runFake(source);
    for (const sliceInstructions of [1, 7, 100, 1_001]) {
      const cut = runFake(source, { limits: { sliceInstructions } });
      if (sliceInstructions === 1) expect(cut.slices).toBeGreaterThan(5);
      expect(cut.ended).toEqual(whole.ended);
      expect(cut.performed).toEqual(whole.performed);
    }
  });

  it('is not seen by the coroutines that it runs in', () => {
    const source = `
      local seen = {}
      local co = coroutine.create(function() for i = 1, 3000 do end seen[1] = coroutine.status(coroutine.running()) end)
      seen[2] = select("#", coroutine.resume(co))
      seen[3] = coroutine.status(co)
      return seen`;
    expect(runFake(source, { limits: { sliceInstructions: 50 } }).ended).toMatchObject({
      output: ['running', 1, 'dead'],
    });
  });

  it('keeps the line and the traceback of an error', () => {
    const source = 'local function f()\n  for i = 1, 5000 do end\n  error("end")\nend\nf()';
    const whole = runFake(source).ended;
    expect(runFake(source, { limits: { sliceInstructions: 13 } }).ended).toEqual(whole);
  });
});

describe('what JavaScript does for Lua', () => {
  const rounds = 60;
  const limits = { turnRounds: rounds + 1, sliceInstructions: 100_000, overdraftInstructions: 200_000 };
  const source = 'asked = Agent {model = "openai/x", tools = {"host.page"}}\nreturn asked("go").output';
  const page = {
    ...{ source: 'host.page', description: 'reads', effect: 'pure' },
    parameters: { type: 'object', additionalProperties: true },
  };
  const perform: FakeOptions['perform'] = (effect, request) => {
    if (effect.kind === 'tool_list') return { 'host.page': { tools: [page] } };
    if (effect.kind === 'tool') return { kind: 'done', value: 'x'.repeat(1_000) };
    return answerOf(effect, request);
  };
  /** The turn of an agent, and a replay of nearly all of it. */
  const replayed = (engine?: number) => {
    const options: FakeOptions = { limits, perform, ...(engine === undefined ? {} : { engine }) };
    const asks = Array.from({ length: rounds }, (_, n): Answer => ({
      toolCalls: [toolCall('page', { n }, `c${n}`)],
    }));
    const { program, output } = converse(source, [...asks, { text: 'read' }], options);
    expect(output).toBe('read');
    const again = fakeProgram(source, { ...options, carried: program.log.entries.slice(0, -4) });
    let slices = 0;
    let turn = again.turn();
    for (; turn.kind === 'slice'; turn = again.turn()) slices++;
    return { turn, slices };
  };

  it('comes in slices where it is replayed: an answer at a time, as it was the first time', () => {
    const { turn, slices } = replayed();
    expect(turn).toMatchObject({ kind: 'blocked', asked: [{ effect: { kind: 'tool' } }] });
    expect(slices).toBeGreaterThan(5);
  });

  it('was one call until engine 10', () => {
    expect(replayed(9).turn).toMatchObject({ kind: 'failed', error: { code: 'instruction_limit' } });
  });
});

/** Where a run of `source` stops when it may use that many instructions: the line, and what it had printed. */
function stopped(
  source: string,
  idleInstructions: number,
  sliceInstructions = defaultLimits.sliceInstructions,
) {
  const { ended, program } = runFake(source, {
    limits: { idleInstructions, sliceInstructions, totalInstructions: 1e12 },
  });
  if (ended?.kind !== 'failed') throw new Error('the run did not fail');
  return { code: ended.error.code, line: ended.error.details['line'], printed: program.shown.length };
}

describe('budgets', () => {
  const endless =
    'local n = 0\nwhile true do\n  n = n + 1\n  if n % 1000 == 0 then\n    print(n)\n  end\nend';

  it('stop at the same instruction each time', () => {
    const first = stopped(endless, 123_456);
    expect(first).toMatchObject({ code: 'instruction_limit' });
    expect(first.printed).toBeGreaterThan(5);
    expect(stopped(endless, 123_456)).toEqual(first);
  });

  it('do not depend on where slices end', () => {
    for (const idle of [100_001, 100_002, 100_003])
      expect(stopped(endless, idle, 777).printed).toBe(stopped(endless, idle, 50_000).printed);
  });

  it('begin anew with each effect', () => {
    const source = 'for i = 1, 20 do for j = 1, 10000 do end Sleep(1) end return "end"';
    expect(runFake(source, { limits: { idleInstructions: 30_000 } }).ended).toMatchObject({ output: 'end' });
    expect(
      runFake(source.replace('Sleep(1)', 'checkpoint()'), { limits: { idleInstructions: 30_000 } }).ended,
    ).toMatchObject({ error: { code: 'instruction_limit' } });
  });

  it('bound the whole run, whatever it waits for', () => {
    const source = 'while true do for j = 1, 1000 do end Sleep(1) end';
    expect(runFake(source, { limits: { totalInstructions: 500_000 } }).ended).toMatchObject({
      error: { code: 'instruction_limit' },
    });
  });

  it('bound what cannot be interrupted', () => {
    const source = 'table.sort({3, 2, 1}, function() while true do end end)';
    expect(runFake(source, { limits: { overdraftInstructions: 10_000 } }).ended).toMatchObject({
      error: { code: 'instruction_limit', details: { line: 1 } },
    });
  });

  it('count memory that is held, and not memory that was held', () => {
    const limits = { memoryBytes: 4 * 1024 * 1024 };
    expect(
      runFake('local piece = ("x"):rep(1000) for i = 1, 200 do local s = piece:rep(1000) end return "end"', {
        limits,
      }).ended,
    ).toMatchObject({ output: 'end' });
    expect(
      runFake('local t = {} for i = 1, 200 do t[i] = ("x" .. i):rep(300000) end', { limits }).ended,
    ).toMatchObject({ error: { code: 'memory_limit' } });
  });

  it.each([
    ['a global', 'kept = {} for i = 1, 100 do kept[i] = ("x" .. i):rep(100000) end'],
    [
      'an upvalue',
      'local kept = {} local function f() for i = 1, 100 do kept[i] = ("x" .. i):rep(100000) end end f()',
    ],
    ['state', 'for i = 1, 100 do state["k" .. i] = ("x" .. i):rep(100000) end'],
    [
      'a coroutine that waits',
      'local kept = {} for i = 1, 100 do local co = coroutine.create(function(s) coroutine.yield() return s end) coroutine.resume(co, ("x" .. i):rep(100000)) kept[i] = co end',
    ],
    [
      'branches that wait',
      'local items = {} for i = 1, 100 do items[i] = i end Parallel.map(items, function(i) local s = ("x" .. i):rep(100000) Sleep(1) return s end)',
    ],
    [
      'a metatable',
      'local m = {} local t = setmetatable({}, m) for i = 1, 100 do m[i] = ("x" .. i):rep(100000) end',
    ],
    ['printed lines', 'for i = 1, 100 do print(("x" .. i):rep(100000)) end'],
  ])('find what is held by %s', (_what, source) => {
    expect(runFake(source, { limits: { memoryBytes: 4 * 1024 * 1024 } }).ended).toMatchObject({
      error: { code: 'memory_limit' },
    });
  });

  it('end a program for good', () => {
    const program = fakeProgram('while true do end', { limits: { idleInstructions: 1_000 } });
    const turn = program.turn();
    expect(turn.kind).toBe('failed');
    expect(program.turn()).toBe(turn);
    expect(program.state()).toEqual({});
  });
});
