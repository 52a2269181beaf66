import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { fakeProgram, runFake, runStart } from '../../../support/fake-host.js';

const step = (options: string): string => `local value = step("load", function()
    local found = File.read("a")
    Log.info("read")
    return found
  end, { ${options} }) return { value = value }`;

type Answer = { value: JsonValue; how?: 'withdrawn' | 'timed_out' };

/** Answers people in order; the nth look at a file fails for the first `failures`. */
function answered(source: string, failures: number, answers: readonly Answer[]) {
  const program = fakeProgram(source);
  const asked: JsonValue[] = [];
  let looks = 0;
  let turn = program.turn();
  for (let i = 0; turn.kind === 'blocked'; i++) {
    const [request] = program.pending;
    if (request === undefined) break;
    const { effect, position } = request;
    if (effect.kind === 'human') {
      const { value, how } = answers[asked.length] ?? { value: 'give_up' };
      asked.push(effect.ask as unknown as JsonValue);
      const answer = {
        value,
        by: 'zoe',
        comment: null,
        timed_out: how === 'timed_out',
        ...(how === 'withdrawn' ? { withdrawn: true } : {}),
      };
      program.settle(position, { ok: true, value: answer }, runStart + i);
    } else if (effect.kind === 'file' && looks++ < failures)
      program.settle(position, { ok: false, code: 'file_failed', message: 'no such file' }, runStart + i);
    else program.settle(position, { ok: true, value: 'text' }, runStart + i);
    turn = program.turn();
  }
  return {
    turn,
    asked,
    program,
    log: program.log.entries.map(({ position, name }) => `${position} ${name}`),
  };
}

describe('on_failure', () => {
  it('asks with the error and what another attempt repeats, and tries again', () => {
    const { turn, asked, log } = answered(step('on_failure = { approvers = "ops", timeout = "1d" }'), 1, [
      { value: 'retry' },
    ]);
    expect(turn).toMatchObject({ kind: 'completed', output: { value: 'text' } });
    expect(asked).toMatchObject([
      {
        kind: 'select',
        message: "step 'load' failed. Try it again?",
        context: {
          error: 'no such file',
          code: 'file_failed',
          repeats: [{ position: '0.0', type: 'file', name: 'read a', effect: 'pure', repeats: false }],
          more: 0,
          second_time: 0,
        },
        options: ['retry_here', 'retry', 'value', 'give_up'],
        default: 'give_up',
        timeoutMs: 86_400_000,
        approvers: ['ops'],
        byHost: true,
      },
    ]);
    expect(log).toEqual(['0.0 read a', "0.1 step 'load' failed. Try it again?", '0.2 read a', '0 load']);
  });

  it('gives what people give instead', () => {
    const answers = [{ value: 'value' }, { value: { rows: [1, 2] } }];
    const { turn, asked } = answered(step('on_failure = "ask"'), 1, answers);
    expect(turn).toMatchObject({ output: { value: { rows: [1, 2] } } });
    expect(asked[1]).toMatchObject({
      kind: 'input',
      message: "What does step 'load' give?",
      form: { type: 'any' },
    });
  });

  it.each<[string, Answer[]]>([
    ['they give up', [{ value: 'give_up' }]],
    ['the question is taken back', [{ value: null, how: 'withdrawn' }]],
    ['nobody answers in time', [{ value: 'give_up', how: 'timed_out' }]],
    ['nobody gives the value', [{ value: 'value' }, { value: null, how: 'withdrawn' }]],
  ])('fails with its error where %s', (_, answers) => {
    const { turn, asked } = answered(step('on_failure = "ask"'), 9, answers);
    expect(turn).toMatchObject({ kind: 'failed', error: { code: 'file_failed', message: 'no such file' } });
    expect(asked).toHaveLength(answers.length);
  });

  it('comes after attempts, on_error and compensations', () => {
    const source = `step("load", function()
      defer("tidy", function() Log.info("tidy") end)
      return File.read("a")
    end, { retries = 1, backoff = 0, on_failure = "ask" })`;
    const { log } = answered(source, 2, [{ value: 'give_up' }]);
    expect(log.map((line) => line.replace(/^\S+ /, ''))).toEqual(
      expect.arrayContaining(['attempt 1', 'attempt 2', 'tidy', "step 'load' failed. Try it again?", 'load']),
    );
    expect(answered(step('on_error = 5, on_failure = "ask"'), 9, []).turn).toMatchObject({
      output: { value: 5 },
    });
  });

  it('is for procedures too: the main one, and one of the file', () => {
    const main = `Procedure { output = { n = field.integer { required = true } }, on_failure = "ask",
      function() defer("tidy", function() end) File.read("a") return { n = 1 } end }`;
    expect(answered(main, 1, [{ value: 'retry' }]).turn).toMatchObject({ output: { n: 1 } });
    expect(answered(main, 9, [{ value: 'value' }, { value: { n: 7 } }]).turn).toMatchObject({
      output: { n: 7 },
    });
    expect(answered(main, 9, [{ value: 'value' }, { value: { n: 'x' } }]).turn).toMatchObject({
      error: { code: 'output_invalid' },
    });
    const sub = `local load = Procedure "load" { on_failure = "ask", function() return { File.read("a") } end }
      Procedure { function() return load() end }`;
    expect(answered(sub, 1, [{ value: 'retry' }]).turn).toMatchObject({ output: ['text'] });
  });

  it('goes on from a log that ends while people are asked', () => {
    const source = step('on_failure = "ask"');
    const first = fakeProgram(source);
    first.turn();
    first.settle('0.0', { ok: false, code: 'file_failed', message: 'no such file' }, runStart);
    first.turn();
    const next = fakeProgram(source, { carried: structuredClone([...first.drain()]) });
    expect(next.turn()).toMatchObject({ kind: 'blocked', asked: [{ position: '0.1' }] });
  });

  it.each([
    ['step("s", function() end, { on_failure = "tell" })', "step 's': on_failure must be"],
    ['step("s", function() end, { on_failure = { who = "ops" } })', 'on_failure has no field who'],
    [
      'step("s", function() end, { on_failure = { default = "value" } })',
      'needs default as "retry_here", "retry" or "give_up"',
    ],
    ['Procedure { on_failure = 1, function() end }', 'Procedure: on_failure must be'],
    ['Procedure { on_failure = { timeout = -1 }, function() end }', 'timeout'],
  ])('%s is refused', (source, message) => {
    expect(runFake(source).ended).toMatchObject({
      error: { message: expect.stringContaining(message) as string },
    });
  });
});
