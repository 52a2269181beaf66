import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { TactusError } from '../../../../src/contract/errors.js';
import { answerInOrder } from '../../../support/answer-in-order.js';
import { fakeProgram, outputOf, runFake, type Perform } from '../../../support/fake-host.js';

/** Files that can't be read before they have been asked for so often. */
function failing(times: number): Perform {
  let asked = 0;
  return (effect) => {
    if (effect.kind !== 'file') return null;
    if (++asked <= times) throw new TactusError('file_failed', `no luck ${asked}`);
    return `read at ${asked}`;
  };
}

const positions = (source: string, times: number): string[] => {
  const { performed, program } = runFake(source, { perform: failing(times) });
  return [...performed, ...program.log.entries.map(({ position, name }) => `${position} ${name}`)];
};

describe('a step with retries', () => {
  const reads = 'return step("load", function() return File.read("a") end, { retries = 2, backoff = "3s" })';

  it('has attempts with positions of their own, and timers between them', () => {
    expect(positions(reads, 2)).toEqual([
      ...['file 0.0.0', 'sleep 0.1', 'file 0.2.0', 'sleep 0.3', 'file 0.4.0'],
      ...['0.0.0 read a', '0.0 attempt 1', '0.1 retry after 3s', '0.2.0 read a', '0.2 attempt 2'],
      ...['0.3 retry after 6s', '0.4.0 read a', '0.4 attempt 3', '0 load'],
    ]);
    const { program, ended } = runFake(reads, { perform: failing(2) });
    expect(ended).toMatchObject({ kind: 'completed', output: 'read at 3' });
    const { outcome } = program.log.find('0.0') ?? {};
    expect(outcome).toEqual({ ok: false, code: 'file_failed', message: 'no luck 1' });
    expect(program.log.find('0')).toMatchObject({ input: { retries: 2 }, outcome: { ok: true } });
  });

  it('fails with its last error, as it was', () => {
    const { ended, program } = runFake(reads, { perform: failing(3) });
    expect(ended).toMatchObject({
      kind: 'failed',
      error: { code: 'file_failed', message: 'no luck 3', details: { line: 1 } },
    });
    expect(program.log.entries.filter(({ outcome }) => !outcome.ok)).toHaveLength(7);
  });

  it.each<[string, string, number, JsonValue]>([
    [
      'waits grow up to the longest',
      `local at = {}
       step("s", function() at[#at + 1] = os.time() if #at < 5 then error("again") end end,
         { retries = 4, backoff = { initial_delay = 1, max_delay = "5s", backoff_factor = 3 } })
       return #at`,
      0,
      5,
    ],
    [
      'no error, no second attempt',
      'local n = 0 step("s", function() n = n + 1 end, {retries = 3}) return n',
      0,
      1,
    ],
    [
      'all results are given',
      'return {step("s", function() return 1, nil, "x" end, {retries = 1})}',
      0,
      { 1: 1, 3: 'x' },
    ],
    ['none are given', 'return select("#", step("s", function() end, {retries = 1}))', 0, 0],
    [
      'errors that are tables stay what they are',
      'local ok, e = pcall(step, "s", function() error({n = 1}) end, {retries = 1}) return e.n',
      0,
      1,
    ],
    [
      'a value stands in',
      'return step("s", function() return File.read("a") end, {retries = 1, on_error = "nothing"})',
      9,
      'nothing',
    ],
    ['false stands in', 'return step("s", function() error("no") end, {on_error = false}) == false', 0, true],
    [
      'a function stands in, with positions behind the attempts',
      `return step("s", function() return File.read("a") end, {retries = 1, on_error = function(err, attempts)
         return {err, Error.code(err), attempts, Checkpoint.next_position()}
       end})`,
      9,
      ['no luck 2', 'file_failed', 2, 3],
    ],
    [
      'what stands in may fail',
      'return {pcall(step, "s", function() error("one", 0) end, {on_error = function(e) error(e .. " and two", 0) end})}',
      0,
      [false, 'one and two'],
    ],
    [
      'it is not asked where there was no error',
      'return step("s", function() return "fine" end, {retries = 1, on_error = function() error("never") end})',
      0,
      'fine',
    ],
    [
      'names of what is done in it are those of the step',
      'a = Agent {model = "m/x"} step("s", function() a("x") end, {retries = 1}) return Checkpoint.exists("0.0.0")',
      0,
      true,
    ],
  ])('%s', (_, source, times, expected) => {
    expect(outputOf(source, times === 0 ? {} : { perform: failing(times) })).toEqual(expected);
  });

  it('waits as long as it says', () => {
    const { program } = runFake(
      `step("s", function() error("again") end,
        { retries = 4, backoff = { initial_delay = 1, max_delay = "5s", backoff_factor = 3 }, on_error = 0 })`,
    );
    const waits = program.log.entries.filter(({ type }) => type === 'sleep').map(({ name }) => name);
    expect(waits).toEqual([1, 3, 5, 5].map((seconds) => `retry after ${seconds}s`));
  });

  it('does not try again what a budget forbids', () => {
    const { ended, performed } = runFake(
      `t = Tool { name = "t", input = {}, function() return 1 end }
       main = Procedure { budget = { tool_calls = 1, on_exhausted = "error" }, function()
         t{}
         local ok, err = pcall(step, "s", function() t{} end, { retries = 3 })
         return Error.code(err)
       end }`,
    );
    expect(ended).toMatchObject({ kind: 'completed', output: 'budget_exhausted' });
    expect(performed).toEqual([]);
  });

  it('that is whole gives JSON, and hands on one checkpoint', () => {
    const whole = `local v = step("s", function() state.n = (state.n or 0) + 1
        for i = 1, 12 do checkpoint(function() return i end) end
        if state.n < 2 then error("again") end return {n = state.n} end,
      { whole = true, retries = 1 })
      Sleep(1) return v`;
    const handed = runFake(whole, { handsOver: (effects) => effects === 1 });
    expect(handed.ended).toMatchObject({ kind: 'completed', output: { n: 2 } });
    const last = runFake(whole, { handsOver: (effects) => effects > 1 });
    expect(last.ended).toMatchObject({ kind: 'completed', output: { n: 2 } });
  });
});

describe('a step with a timeout', () => {
  const timed = (options: string, rest = ''): string =>
    `local value = step("ask", function() return File.read("a"), 2 end, { timeout = "30s"${options} })
     ${rest} return value`;

  it('is done when its body is, and its timer is given up', () => {
    const { turn, asked, cancelled, log } = answerInOrder(timed('', 'Sleep(1)'), ['0.0.0.0', '1']);
    expect(asked).toEqual(['0.0.0.0', '0.0.1.0', '1']);
    expect(cancelled).toEqual(['0.0.1.0']);
    expect(log).toEqual(['0.0.0.0', '0.0', '0', '1']);
    expect(turn).toMatchObject({ kind: 'completed', output: '0.0.0.0' });
  });

  it('fails with deadline_exceeded when its timer is over, and its body is given up', () => {
    const source = `local ok, err = pcall(function() ${timed('')} end) Sleep(1) return {ok, Error.code(err), err}`;
    const { turn, cancelled } = answerInOrder(source, ['0.0.1.0', '1']);
    expect(cancelled).toEqual(['0.0.0.0']);
    expect(turn).toMatchObject({
      output: [false, 'deadline_exceeded', "step 'ask' was not done within 30 s"],
    });
  });

  it('tries again what took too long', () => {
    const { turn, asked, cancelled } = answerInOrder(timed(', retries = 1'), ['0.0.1.0', '0.1', '0.2.0.0']);
    expect(asked).toEqual(['0.0.0.0', '0.0.1.0', '0.1', '0.2.0.0', '0.2.1.0']);
    expect(cancelled).toEqual(['0.0.0.0']);
    expect(turn).toMatchObject({ kind: 'completed', output: '0.2.0.0' });
  });

  it('has the error of its body, when that fails first', () => {
    const { turn } = answerInOrder(timed(''), ['0.0.0.0!no luck']);
    expect(turn).toMatchObject({ error: { code: 'tool_failed', message: 'no luck', details: { line: 1 } } });
  });

  it.each<[string, string, JsonValue]>([
    [
      'all results are given',
      'return {step("s", function() return 1, nil, "x" end, {timeout = 1})}',
      { 1: 1, 3: 'x' },
    ],
    [
      'a body that waits for nothing needs no timer',
      'step("s", function() end, {timeout = 1}) return Checkpoint.exists("0.0.1.0")',
      false,
    ],
    [
      'what is said in it stays in the conversation',
      'step("s", function() MessageHistory.append{role = "user", content = "x"} end, {timeout = 9}) return #MessageHistory.get()',
      1,
    ],
    [
      'errors that are tables stay what they are',
      'local ok, e = pcall(step, "s", function() error({n = 1}) end, {timeout = 1}) return e.n',
      1,
    ],
  ])('%s', (_, source, expected) => expect(outputOf(source)).toEqual(expected));

  it.each([
    ['the outer one', '0.0.1.0', 'deadline_exceeded'],
    ['the inner one', '0.0.0.0.0.1.0', 'inner'],
  ])('in a step with another one: %s is over', (_, timer, output) => {
    const source = `return step("outer", function()
      return step("inner", function() return File.read("a") end, { on_error = "inner", timeout = 60 })
    end, { timeout = 500, retries = 0, on_error = function(e) return Error.code(e) end })`;
    expect(answerInOrder(source, [timer]).turn).toMatchObject({ kind: 'completed', output });
  });

  it('goes on from a log that ends in the middle', () => {
    const source = timed(', retries = 1', 'Sleep(1)');
    const first = fakeProgram(source);
    first.turn();
    first.settle('0.0.1.0', { ok: true, value: null }, Date.UTC(2026, 0, 3));
    first.turn();
    const next = fakeProgram(source, { carried: structuredClone([...first.drain()]) });
    expect(next.turn()).toMatchObject({ kind: 'blocked', asked: [{ position: '0.1' }], cancelled: [] });
  });
});

describe('the options of a step', () => {
  it.each([
    ['1', 'table expected'],
    ['{retry = 1}', "step 's' has no option retry: it has whole, retries, backoff, timeout, on_error"],
    ['{1}', "step 's' has no option without a name"],
    ['{whole = 1}', 'whole must be true or false'],
    ['{retries = -1}', 'retries must be an integer from 0 to 100, got -1'],
    ['{retries = 101}', 'retries must be an integer from 0 to 100'],
    ['{retries = 1.5}', 'retries must be an integer from 0 to 100'],
    ['{backoff = 1}', 'backoff needs retries'],
    ['{retries = 1, backoff = "soon"}', 'backoff.initial_delay must be seconds'],
    [
      '{retries = 1, backoff = {delay = 1}}',
      'backoff has no field delay: it has initial_delay, max_delay, backoff_factor',
    ],
    [
      '{retries = 1, backoff = {backoff_factor = 0.5}}',
      'backoff.backoff_factor must be a number from 1 to 100',
    ],
    ['{timeout = 0}', 'timeout must be more than 0'],
    ['{timeout = "later"}', "step 's': timeout must be seconds"],
  ])('%s is refused, and nothing has begun', (options, message) => {
    const { ended, program } = runFake(`step("s", function() Sleep(1) end, ${options})`);
    expect(ended).toMatchObject({ error: { message: expect.stringContaining(message) as string } });
    expect(program.log.entries).toEqual([]);
  });

  it('mean nothing in runs of before', () => {
    const source = 'return step("s", function() File.read("a") return 1 end, {retries = 3, nonsense = 1})';
    expect(runFake(source, { engine: 9 }).performed).toEqual(['file 0.0']);
  });
});
