import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../../src/contract/effects/effects.js';
import { answerInOrder } from '../../../support/answer-in-order.js';
import { fakeProgram, outputOf, runFake, runStart } from '../../../support/fake-host.js';

const ask = 'File.read("a")';
const failed = 'local ok, err = pcall(work) Sleep(1) return { ok, Error.code(err), err }';
const child = { 'c.tac': 'return 1' };

/** What is asked for first of each kind. */
function effectOf(source: string, kind: Effect['kind']): Effect | undefined {
  const program = fakeProgram(source, { files: child });
  program.turn();
  return program.pending.find(({ effect }) => effect.kind === kind)?.effect;
}

describe('a deadline', () => {
  it.each([
    [
      'a step',
      `local function work() step("load", function() ${ask} end, { deadline = "2h" }) end`,
      "step 'load'",
    ],
    [
      'a procedure of the file',
      `local load = Procedure "load" { deadline = 7200, function() ${ask} end } local function work() load() end`,
      "procedure 'load'",
    ],
    [
      'an agent',
      `a = Agent { model = "m/x", deadline = "2h" } local function work() a("hello") end`,
      'a turn of a',
    ],
    [
      'one turn',
      `a = Agent { model = "m/x" } local function work() a({ message = "hello", deadline = "2h" }) end`,
      'a turn of a',
    ],
  ])('of %s gives up what is under way, and raises one error', (_, declared, what) => {
    const { turn, asked, cancelled } = answerInOrder(`${declared} Procedure { function() ${failed} end }`, [
      '0.0',
      '1',
    ]);
    expect(asked).toEqual(['0.0', '0.1', '1']);
    expect(cancelled).toEqual(['0.1']);
    expect(turn).toMatchObject({
      kind: 'completed',
      output: [false, 'deadline_exceeded', `${what} was not done within its deadline of 7200 s`],
    });
  });

  it('is given up when the work ends first', () => {
    const source = `local got = step("load", function() return ${ask}, 2 end, { deadline = 60 }) Sleep(1) return got`;
    const { turn, cancelled, log } = answerInOrder(source, ['0.1', '1']);
    expect(cancelled).toEqual(['0.0']);
    expect(log).toEqual(['0.1', '0', '1']);
    expect(turn).toMatchObject({ kind: 'completed', output: '0.1' });
  });

  it('of the main procedure ends the run, whatever is caught inside', () => {
    const source = `Procedure { deadline = "1d", function() pcall(function() ${ask} end) return 1 end }`;
    const { turn, asked } = answerInOrder(source, ['0']);
    expect(asked).toEqual(['0', '1']);
    expect(turn).toMatchObject({
      kind: 'failed',
      error: {
        code: 'deadline_exceeded',
        message: "procedure 'main' was not done within its deadline of 86400 s",
      },
    });
  });

  it('leaves the positions of the main procedure at the top, so that a pass can end there', () => {
    const source = `Procedure { deadline = "1d", function() Sleep(1) if input.n == 2 then return "done" end Procedure.continue_as_new({ n = 2 }) end }`;
    const { ended, passes, performed } = runFake(source, {
      turn: (program) => program.turn(),
      input: { n: 1 },
    });
    expect(ended).toMatchObject({ kind: 'failed', error: { code: 'deadline_exceeded' } });
    expect(passes).toEqual([]);
    expect(performed).toEqual(['sleep 0']);
    const { asked } = answerInOrder(source, ['1'], { input: { n: 1 } });
    expect(asked).toEqual(['0', '1', '2']);
  });

  it.each([
    ['the outer', ['0.0'], "step 'outer'"],
    ['the inner', ['0.1.0', '1'], "step 'inner'"],
  ])('inside of another: %s one is first', (_, order, what) => {
    const source = `local ok, err = pcall(step, "outer", function()
      step("inner", function() ${ask} end, { deadline = "2h" })
    end, { deadline = "3h" }) Sleep(1) return err`;
    const { turn } = answerInOrder(source, [...order, '1']);
    expect(turn).toMatchObject({ kind: 'completed' });
    expect(JSON.stringify(turn)).toContain(what);
  });

  it('is for all attempts of a step, and on_error stands in', () => {
    const source = `return step("load", function() ${ask} end,
      { retries = 3, deadline = "1h", on_error = function(err, attempts) return { Error.code(err), attempts } end })`;
    const { turn, asked, cancelled } = answerInOrder(source, ['0.1.0!no luck', '0.2', '0.0']);
    expect(asked).toEqual(['0.0', '0.1.0', '0.2', '0.3.0']);
    expect(cancelled).toEqual([]);
    expect(turn).toMatchObject({ kind: 'completed', output: ['deadline_exceeded', 2] });
  });

  it('may be a moment, which no pause moves', () => {
    const source = `step("load", function() ${ask} end, { deadline = "2026-02-01T00:00:00Z" })`;
    expect(effectOf(source, 'defer')).toMatchObject({ resumeAt: '2026-02-01T00:00:00.000Z' });
    expect(answerInOrder(source, ['0.0']).turn).toMatchObject({
      error: { message: "step 'load' was not done by its deadline, 2026-02-01T00:00:00.000Z" },
    });
  });

  it('that has passed begins nothing', () => {
    const source = `step("load", function() ${ask} end, { deadline = "2026-01-01T00:00:00Z" })`;
    const { turn, asked } = answerInOrder(source, []);
    expect(asked).toEqual([]);
    expect(turn).toMatchObject({ error: { code: 'deadline_exceeded' } });
  });

  it.each([
    ['step("s", function() end, { deadline = 0 })', "step 's': deadline must be more than 0"],
    ['step("s", function() end, { deadline = "soon" })', "step 's': deadline must be seconds"],
    ['Procedure { deadline = true, function() end }', 'Procedure: deadline must be seconds'],
    ['Agent "a" { model = "m/x", deadline = -1 }', 'Agent "a": deadline must be seconds'],
  ])('%s is refused', (source, message) => {
    expect(runFake(source).ended).toMatchObject({
      error: { message: expect.stringContaining(message) as string },
    });
  });

  it('goes on from a log, and leaves no second timer', () => {
    const source = `return step("load", function() Sleep(1) return ${ask} end, { deadline = "1h" })`;
    const { program } = answerInOrder(source, ['0.1']);
    const next = fakeProgram(source, { carried: structuredClone([...program.drain()]) });
    expect(next.turn()).toMatchObject({
      kind: 'blocked',
      asked: [{ position: '0.0', effect: { ms: 3_600_000 } }, { position: '0.2' }],
    });
  });

  it('gives all results, and errors that are tables as they are', () => {
    expect(
      outputOf(`local a, b, c = step("s", function() return 1, nil, "x" end, { deadline = 9 })
        local _, err = pcall(step, "s", function() error({ n = 5 }) end, { deadline = 9 })
        return { a, b == nil, c, err.n }`),
    ).toEqual([1, true, 'x', 5]);
  });

  it('has no effect in runs of before there were any', () => {
    const source = 'Procedure { deadline = "1d", function() Sleep(1) return 1 end }';
    expect(runFake(source, { engine: 9 })).toMatchObject({
      ended: { output: 1 },
      performed: ['sleep 0'],
    });
  });
});

describe('what is started inside of a deadline', () => {
  const start = (inside: string): string =>
    `step("outer", function() step("inner", function() ${inside} end, { deadline = "3h" }) end, { deadline = "2h" })`;

  it.each([
    ['procedure', 'Procedure.run("c.tac")'],
    ['spawn', 'Procedure.spawn("c.tac")'],
  ] as const)('is a run that ends by the earliest: %s', (kind, call) => {
    expect(effectOf(start(call), kind)).toMatchObject({ deadline: { timer: '0.0' } });
    expect(
      effectOf(`step("s", function() ${call} end, { deadline = "2030-01-01T00:00:00Z" })`, kind),
    ).toMatchObject({
      deadline: { at: Date.UTC(2030, 0, 1) },
    });
    expect(
      effectOf(`DurableLoop { deadline = "1h", body = function() ${call} return 1 end }`, kind),
    ).toMatchObject({
      deadline: { at: runStart + 3_600_000 },
    });
    expect(effectOf(call, kind)).not.toHaveProperty('deadline');
  });

  it('has none when the deadline is over and done with', () => {
    const source = `step("s", function() end, { deadline = 9 }) Procedure.run("c.tac")`;
    expect(effectOf(source, 'procedure')).not.toHaveProperty('deadline');
  });
});
