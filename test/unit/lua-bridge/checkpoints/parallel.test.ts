import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { answerInOrder } from '../../../support/answer-in-order.js';
import { fakeProgram, outputOf, runFake, runStart } from '../../../support/fake-host.js';

describe('branches', () => {
  const three =
    'return Parallel{function() return File.read("a") end, function() return File.read("b") end, function() return File.read("c") end}';

  it.each([[['0.0.0', '0.1.0', '0.2.0']], [['0.2.0', '0.1.0', '0.0.0']], [['0.1.0', '0.2.0', '0.0.0']]])(
    'give their results in their own order when they end as %j',
    (order) => {
      const { turn, asked, log } = answerInOrder(three, order);
      expect(asked).toEqual(['0.0.0', '0.1.0', '0.2.0']);
      expect(turn).toMatchObject({ kind: 'completed', output: ['0.0.0', '0.1.0', '0.2.0'] });
      expect(log).toEqual([...order, '0']);
    },
  );

  it('stand at <step>.<branch>.<n>', () => {
    const source = `
      Sleep(1) Sleep(1)
      Parallel{
        function() Sleep(1) step("s", function() Sleep(1) Sleep(1) end) end,
        function() Parallel.map({1, 2}, function() Sleep(1) end) end,
      }
      Sleep(1)`;
    expect(runFake(source).performed.sort()).toEqual(
      ['0', '1', '2.0.0', '2.0.1.0', '2.0.1.1', '2.1.0.0.0', '2.1.0.1.0', '3'].map(
        (position) => `sleep ${position}`,
      ),
    );
  });

  it.each<[string, string, JsonValue]>([
    [
      'map gives item and index',
      'return Parallel.map({"a", "b"}, function(item, i) return item .. i end)',
      ['a1', 'b2'],
    ],
    ['no branches', 'return Parallel{}', []],
    ['no items', 'return Parallel.map({}, print)', []],
    [
      'results that are nil leave holes',
      'local t = Parallel{function() end, function() return 2 end} return {t[1] == nil, t[2]}',
      [true, 2],
    ],
    ['results may be anything', 'return type(Parallel{function() return print end}[1])', 'function'],
    ['only the first result counts', 'return Parallel{function() return 1, 2 end}', [1]],
    [
      'in a coroutine',
      'return coroutine.wrap(function() return Parallel.map({1, 2}, function(n) Sleep(n) return n * 2 end) end)()',
      [2, 4],
    ],
    [
      'changing the list while they run changes nothing that has started',
      'local list = {1, 2} return Parallel.map(list, function(n) list[2] = 5 Sleep(1) return n end, {concurrency = 2})',
      [1, 2],
    ],
  ])('%s', (_what, source, expected) => expect(outputOf(source)).toEqual(expected));

  it('run as many at a time as told', () => {
    const source =
      'return Parallel.map({1, 2, 3, 4}, function(n) return File.read(n .. "") end, {concurrency = 2})';
    const program = fakeProgram(source);
    const asked = (): string[] => {
      const turn = program.turn();
      return turn.kind === 'blocked' ? turn.asked.map(({ position }) => position) : [turn.kind];
    };
    const settle = (position: string): void => program.settle(position, { ok: true, value: 'x' }, runStart);
    expect(asked()).toEqual(['0.0.0', '0.1.0']);
    settle('0.1.0');
    expect(asked()).toEqual(['0.2.0']);
    settle('0.0.0');
    settle('0.2.0');
    expect(asked()).toEqual(['0.3.0']);
    expect(asked()).toEqual([]);
    settle('0.3.0');
    expect(asked()).toEqual(['completed']);
  });

  it('never have more effects open than the server allows, however they are nested', () => {
    const source =
      'return #Parallel.map({1, 2, 3}, function() return Parallel.map({1, 2, 3}, function() Sleep(1) end) end)';
    const program = fakeProgram(source, { limits: { openEffects: 2 } });
    const open = new Set<string>();
    let most = 0;
    for (let turn = program.turn(); turn.kind === 'blocked'; turn = program.turn()) {
      for (const { position } of turn.asked) open.add(position);
      most = Math.max(most, open.size);
      const [next] = [...open];
      if (next === undefined) throw new Error('nothing is open');
      open.delete(next);
      program.settle(next, { ok: true, value: null }, runStart);
    }
    expect(most).toBe(2);
    expect(program.turn()).toMatchObject({ kind: 'completed', output: 3 });
  });

  it('are given up when one of them fails, and the error reaches the caller', () => {
    const { turn, cancelled, log } = answerInOrder(three, ['0.1.0!no such file']);
    expect(turn).toMatchObject({ kind: 'failed', error: { code: 'tool_failed', message: 'no such file' } });
    expect(log).toEqual(['0.1.0!', '0!']);
    expect(cancelled).toEqual([]); // the run has ended, and everything with it
  });

  it('are given up in a pcall, which goes on', () => {
    const source = `local ok, message = pcall(function() ${three} end)\nSleep(1)\nreturn {ok, message}`;
    const { turn, cancelled, asked } = answerInOrder(source, ['0.1.0!no such file', '0.0.0', '1']);
    expect(asked).toEqual(['0.0.0', '0.1.0', '0.2.0', '1']);
    expect(cancelled).toEqual(['0.0.0', '0.2.0']);
    expect(turn).toMatchObject({ kind: 'completed', output: [false, 'no such file'] });
  });

  it('are given up with all that they started', () => {
    const source = `pcall(Parallel, {
      function() Parallel{function() Sleep(1) end, function() Sleep(2) end} end,
      function() File.read("x") end,
    })
    Sleep(3)`;
    const { cancelled } = answerInOrder(source, ['0.1.0!no such file']);
    expect(cancelled).toEqual(['0.0.0.0.0', '0.0.0.1.0']);
  });

  it('that have not started never do', () => {
    const source =
      'return pcall(Parallel.map, {1, 2, 3}, function(n) print(n) error("at once") end, {concurrency = 1})';
    expect(runFake(source).program.shown).toHaveLength(1);
  });

  it.each([
    ['Parallel(1)', 'table expected'],
    ['Parallel{1}', 'a list of functions expected'],
    ['Parallel.map(1, print)', 'table expected'],
    ['Parallel.map({}, 1)', 'function expected'],
    ['Parallel.map({1}, print, {concurrency = 0})', 'concurrency must be at least 1'],
    ['Parallel.map({1}, print, {concurrency = "x"})', 'number expected'],
  ])('%s is an error', (call, message) => expect(() => outputOf(call)).toThrow(message));
});
