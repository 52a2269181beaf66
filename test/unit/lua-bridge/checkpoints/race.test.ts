import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/contract/json/json.js';
import { answerInOrder } from '../../../support/answer-in-order.js';
import { answerOf, fakeProgram, outputOf, runFake, runStart } from '../../../support/fake-host.js';

const three =
  '{function() return File.read("a") end, function() return File.read("b") end, function() return File.read("c") end}';
const race = `local value, winner = Parallel.race(${three})\nSleep(1)\nreturn {value, winner}`;

describe('Parallel.race', () => {
  it.each([
    ['the first that ends', ['0.1.0'], ['0.1.0', 2], ['0.0.0', '0.2.0']],
    ['one behind a failure', ['0.1.0!no luck', '0.2.0'], ['0.2.0', 3], ['0.0.0']],
    ['the last, when the others have failed', ['0.0.0!a', '0.2.0!b', '0.1.0'], ['0.1.0', 2], []],
  ])('is won by %s, and the others are given up', (_, order, output, given) => {
    const { turn, cancelled, program } = answerInOrder(race, [...order, '1']);
    expect(turn).toMatchObject({ kind: 'completed', output });
    expect(cancelled).toEqual(given);
    expect(program.log.find('0')).toMatchObject({
      type: 'parallel',
      name: 'race',
      outcome: { ok: true, value: { winner: output[1] } },
    });
  });

  it('fails with one error that names each, when all have failed', () => {
    const { turn, log } = answerInOrder(`return Parallel.race(${three})`, [
      '0.1.0!no b',
      '0.0.0!no a',
      '0.2.0!no c',
    ]);
    expect(turn).toMatchObject({
      kind: 'failed',
      error: {
        code: 'tool_failed',
        message: 'Parallel.race: none of 3 branches succeeded. 1: no a; 2: no b; 3: no c',
        details: { file: 'main.tac', line: 1 },
      },
    });
    expect(log).toEqual(['0.1.0!', '0.0.0!', '0.2.0!', '0!']);
  });

  it.each<[string, string, JsonValue]>([
    [
      'errors with several codes have none together',
      'local ok, e = pcall(Parallel.race, {function() error("own") end, function() File.read({}) end}) return {Error.code(e) or "none"}',
      ['none'],
    ],
    [
      'errors that are tables are told by their message',
      'local ok, e = pcall(Parallel.race, {function() error({message = "as a table"}) end}) return e:match("1: .*")',
      '1: as a table',
    ],
    ['a branch that gives nothing wins', 'return select("#", Parallel.race{function() end})', 2],
    [
      'only the first result counts',
      'local a, b = Parallel.race{function() return "x", "y" end} return {a, b}',
      ['x', 1],
    ],
    [
      'what a branch gives may be anything',
      'local f = Parallel.race{function() return print end} return type(f)',
      'function',
    ],
    [
      'a branch that waits for nothing wins before others begin to wait',
      'return {Parallel.race{function() Sleep(1) return "slow" end, function() return "at once" end}}',
      ['at once', 2],
    ],
    [
      'one after the other, as many as are needed',
      `local begun = 0
       local function try(n) return function() begun = begun + 1 if n < 3 then error("no") end return n end end
       local value = Parallel.race({try(1), try(2), try(3), try(4)}, {concurrency = 1})
       return {value, begun}`,
      [3, 3],
    ],
    [
      'races in races',
      `return {Parallel.race{
         function() return (Parallel.race{function() Sleep(9) end, function() error("no") end}) end,
         function() return (Parallel.race{function() error("no") end, function() return "inner" end}) end}}`,
      ['inner', 2],
    ],
    [
      'branches go on from the conversation, and leave nothing in it',
      `MessageHistory.append{role = "user", content = "before"}
       Parallel.race{function() MessageHistory.append{role = "user", content = "inside"} return 1 end}
       return #MessageHistory.get()`,
      1,
    ],
  ])('%s', (_, source, expected) => expect(outputOf(source)).toEqual(expected));

  it('gives up all that a loser has started', () => {
    const source = `Parallel.race{
      function() Parallel{function() Sleep(1) end, function() step("s", function() Human.approve("ok?") end) end} end,
      function() return File.read("x") end,
    }
    Sleep(3)`;
    expect(answerInOrder(source, ['0.1.0']).cancelled).toEqual(['0.0.0.0.0', '0.0.0.1.0.0']);
  });

  it('super-steps of graphs in losers are not under way any more', () => {
    const source = `
      slow = Graph { entrypoint = "a", nodes = { a = function() Sleep(60) return {} end } }
      main = Procedure { function()
        Parallel.race{ function() return slow({}) end, function() return File.read("b.txt") end }
        Sleep(1)
      end }`;
    const program = fakeProgram(source);
    program.turn();
    expect(program.superSteps()).toHaveLength(1);
    program.settle('0.1.0', { ok: true, value: 'x' }, runStart + 1);
    program.turn();
    expect(program.superSteps()).toEqual([]);
  });

  it('what ends the run ends it, whoever might win', () => {
    const source = 'return Parallel.race{function() while true do end end, function() return 1 end}';
    expect(runFake(source, { limits: { totalInstructions: 100_000 } }).ended).toMatchObject({
      kind: 'failed',
      error: { code: 'instruction_limit' },
    });
  });

  it('calls in losers that were to leave nothing leave nothing', () => {
    const source = `
      write = Tool { name = "write", transaction = true, input = {}, function()
        File.write("a.txt", "changed") Sleep(60) return "done"
      end }
      main = Procedure { function()
        Parallel.race{ function() return write{} end, function() return File.read("b.txt") end }
        return "won"
      end }`;
    const { turn, asked } = answerInOrder(source, ['0.0.0.0', '0.0.0.1', '0.1.0', '0.2', '1']);
    expect(asked.slice(-1)).toEqual(['0.2']);
    expect(turn).toMatchObject({ kind: 'completed', output: 'won' });
  });

  it('another winner than the recorded one is told', () => {
    const first = fakeProgram('Parallel.race{function() Sleep(1) end, function() return 2 end} Sleep(1)');
    first.turn();
    const carried = first.drain();
    const same = 'Parallel.race{function() return 1 end, function() Sleep(1) end} Sleep(1)';
    expect(fakeProgram(same, { carried }).turn()).toMatchObject({
      error: {
        message: 'NonDeterminismError at position 0: branch 2 won this race before, and now branch 1 wins',
        details: { position: '0', expected: 2, found: 1, line: 1 },
      },
    });
  });

  it.each([
    ['Parallel.race(1)', 'table expected'],
    ['Parallel.race{1}', 'a list of functions expected'],
    ['Parallel.race{}', 'at least one function expected'],
    ['Parallel.race{fast = print}', 'a list of functions expected'],
    ['Parallel.race({print}, 1)', 'its options are a table'],
    ['Parallel.race({print}, {concurrency = 0})', 'concurrency must be an integer of at least 1'],
    ['Parallel.race({print}, {concurrency = "x"})', 'concurrency must be an integer of at least 1'],
    ['Parallel.race({print}, {batch = 1})', 'batch must be true or false'],
    ['Parallel.race({print}, {timeout = 1})', 'has no option timeout: it has concurrency, batch, budget'],
    ['Parallel.race({print}, {budget = {coffee = 1}})', 'Parallel.race: budget'],
    ['Parallel.all_settled{a = print}', 'a list of functions expected'],
    ['Parallel.all_settled({print}, {limit = 1})', 'Parallel.all_settled has no option limit'],
  ])('%s is an error, and nothing has begun', (call, message) => {
    const { ended, program } = runFake(`print = function() Sleep(1) end return ${call}`);
    expect(ended).toMatchObject({ error: { message: expect.stringContaining(message) as string } });
    expect(program.log.entries).toEqual([]);
  });

  it('is not there in runs of before', () => {
    expect(outputOf('return {Parallel.race == nil, Parallel.all_settled == nil}', { engine: 9 })).toEqual([
      true,
      true,
    ]);
  });
});

describe('Parallel.all_settled', () => {
  it('gives how each ended, in their order', () => {
    const source = `return Parallel.all_settled(${three})`;
    const { turn, cancelled, program } = answerInOrder(source, ['0.2.0', '0.1.0!no luck', '0.0.0']);
    expect(turn).toMatchObject({
      kind: 'completed',
      output: [
        { status: 'fulfilled', value: '0.0.0' },
        { status: 'rejected', reason: 'no luck' },
        { status: 'fulfilled', value: '0.2.0' },
      ],
    });
    expect(cancelled).toEqual([]);
    expect(program.log.find('0')).toMatchObject({
      name: 'all_settled',
      outcome: { value: { fulfilled: 2, rejected: 1 } },
    });
  });

  it.each<[string, string, JsonValue]>([
    ['none', 'return Parallel.all_settled{}', []],
    [
      'reasons keep what they are',
      `local e = Parallel.all_settled{function() error({n = 1}) end, function() File.read({}) end}
       return {e[1].reason.n, e[2].status, Error.code(e[2].reason) or "lua"}`,
      [1, 'rejected', 'lua'],
    ],
    [
      'codes of errors are known',
      `local ended = Parallel.all_settled{function() Plan.add("x") end}
       return {Error.code(ended[1].reason)}`,
      ['plan_invalid'],
    ],
    [
      'values may be anything',
      'return type(Parallel.all_settled{function() return print end}[1].value)',
      'function',
    ],
    [
      'as many run at a time as told',
      `local now, most = 0, 0
       local function work() now = now + 1 most = math.max(most, now) Sleep(1) now = now - 1 end
       Parallel.all_settled({work, work, work, work}, {concurrency = 2})
       return most`,
      2,
    ],
  ])('%s', (_, source, expected) => expect(outputOf(source)).toEqual(expected));
});

describe('a budget of branches', () => {
  const spends = `
    helper = Agent { model = "openai/gpt-5-mini", system_prompt = "Help." }
    main = Procedure { budget = { tokens = 1000 }, function()
      local value, winner = Parallel.race{ function() return helper("a").output end, function() return File.read("b") end }
      Sleep(1)
      return { winner = winner, left = Budget.left().tokens }
    end }`;

  it('counts what losers have used when that becomes known', () => {
    const program = fakeProgram(spends);
    let turn = program.turn();
    if (turn.kind !== 'blocked') throw new Error(turn.kind);
    const call = turn.asked.find(({ type }) => type === 'model_call')?.position ?? '';
    program.settle('0.1.0', { ok: true, value: 'x' }, runStart + 1);
    turn = program.turn();
    expect(turn).toMatchObject({ kind: 'blocked', cancelled: [call] });
    program.spend({ position: call, usage: { input_tokens: 300, output_tokens: 100, cost_usd: 0 } });
    program.settle('1', { ok: true, value: null }, runStart + 2);
    expect(program.turn()).toMatchObject({ kind: 'completed', output: { winner: 2, left: 600 } });
  });

  it('counts it where the answer was handed on unlooked at, once, in every replay', () => {
    const begin = fakeProgram(spends);
    const turn = begin.turn();
    const { asked } = turn.kind === 'blocked' ? turn : { asked: [] };
    const call = asked.find(({ effect }) => effect.kind === 'model_call');
    if (call === undefined) throw new Error('no model is asked');
    begin.settle('0.1.0', { ok: true, value: 'x' }, runStart + 1);
    const usage = { input_tokens: 300, output_tokens: 100 };
    const answer = { ...(answerOf(call.effect, call) as JsonObject), usage };
    begin.settle(call.position, { ok: true, value: answer }, runStart + 2);
    const carried = structuredClone([...begin.drain()]);
    expect(carried.map(({ position }) => position)).toEqual(['0.1.0', call.position]);

    const next = fakeProgram(spends, { carried });
    next.turn();
    next.settle('1', { ok: true, value: null }, runStart + 3);
    expect(next.turn()).toMatchObject({ kind: 'completed', output: { winner: 2, left: 600 } });
    expect(next.log.needed.flatMap(({ outcome }) => outcome.spent ?? [])).toHaveLength(1);
    const again = fakeProgram(spends, { carried: structuredClone([...next.log.needed]) });
    expect(again.turn()).toMatchObject({ kind: 'completed', output: { winner: 2, left: 600 } });
  });
});
