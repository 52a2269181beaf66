import { describe, expect, it } from 'vitest';
import type { Warning } from '../../../../src/contract/runs/run-view.js';
import { runFake, outputOf, type FakeOptions } from '../../../support/fake-host.js';

function warningsOf(source: string, options: FakeOptions = {}): Warning[] {
  const { program, ended } = runFake(source, options);
  expect(ended).toMatchObject({ kind: 'completed' });
  return program.shown.flatMap((line) => (line.kind === 'warning' ? [line] : []));
}

const strict = { settings: { strictDeterminism: true } };
const calls = [
  ...['math.random()', 'math.random(6)', 'math.randomseed(1)', 'os.time()', 'os.date()', 'os.date("%Y")'],
  ...['os.clock()', 'os.getenv("HOME")', 'os.tmpname()'],
];

describe('a call outside of a checkpoint', () => {
  it.each(calls)('%s is warned about, with its line', (call) => {
    const [warning, ...more] = warningsOf(`Procedure { function()\n  local x = ${call}\n  return 1\nend }`);
    const named = call.replace(/\(.*/, '()');
    expect(more).toEqual([]);
    expect(warning).toMatchObject({ code: 'non_deterministic', file: 'main.tac', line: 2 });
    expect(warning?.message).toContain(`DETERMINISM WARNING: ${named} called outside checkpoint\n`);
  });

  it('is boxed, with the lines around it', () => {
    const source = 'Procedure {\n  function()\n    local n = 1\n    n = os.time()\n    return 1\n  end,\n}';
    expect(warningsOf(source)[0]?.message).toMatchInlineSnapshot(`
      "======================================================================
      DETERMINISM WARNING: os.time() called outside checkpoint
      ======================================================================

      main.tac:4

              2 |   function()
              3 |     local n = 1
        >     4 |     n = os.time()
              5 |     return 1
              6 |   end,

      Its result is not recorded. A replay of this run repeats it, but a run
      that goes on with an edited source, or elsewhere, gets another one, and
      may take another way.

      To record it:

        local value = checkpoint(function()
          return os.time()
        end)

      Step.checkpoint(function() … end) does the same.
      ======================================================================"
    `);
  });

  it('is told once for a line, at most for 20 lines', () => {
    expect(warningsOf('for i = 1, 100 do local x = os.time() end return 1')).toHaveLength(1);
    const lines = Array.from({ length: 30 }, () => 'local x = os.time()').join('\n');
    expect(warningsOf(`do ${lines.replaceAll('\n', '\nend do ')} end return 1`)).toHaveLength(20);
  });

  it('is told with the module that it stands in', () => {
    const files = { 'dice.tac': 'return {\n  roll = function() return math.random(6) end,\n}' };
    expect(warningsOf('return require("dice").roll() > 0', { files })).toMatchObject([
      { file: 'dice.tac', line: 2 },
    ]);
  });

  it.each([
    ['a given date', 'return os.time{year = 2026, month = 1, day = 1} + #os.date("%Y", 0)'],
    ['a checkpoint', 'return checkpoint(function() return math.random() end) < 1'],
    ['Step.checkpoint', 'return Step.checkpoint(function() return os.time() end) > 0'],
    [
      'a function that a checkpoint calls',
      'local function t() return os.time() end return checkpoint(t) > 0',
    ],
    [
      'a tool',
      'local clock = tool({name = "clock", input = {}}, function() return os.time() end) return clock({}) > 0',
    ],
    [
      'a prompt',
      'local a = Agent{model = "m", system_prompt = function() return os.date() end} return a({message = "x"}).output',
    ],
  ])('is no matter for %s', (_, source) => {
    expect(warningsOf(source)).toEqual([]);
    expect(warningsOf(source, strict)).toEqual([]);
  });

  it('is one again after the checkpoint', () => {
    expect(warningsOf('checkpoint(function() return os.time() end) return os.time() > 0')).toHaveLength(1);
  });

  it('is one in a step, a branch and a sub-procedure, which run again on a replay', () => {
    expect(warningsOf('step("s", function() return os.time() end) return 1')).toHaveLength(1);
    expect(warningsOf('Parallel.map({1}, function() return os.time() end) return 1')).toHaveLength(1);
    const nested = 'helper = Procedure { function() return os.time() end }\n';
    expect(warningsOf(`${nested}main = Procedure { function() return helper({}) end }`)).toHaveLength(1);
  });
});

describe('strict_determinism', () => {
  it.each(calls)('refuses %s', (call) => {
    expect(runFake(`Procedure { function()\n  return ${call}\nend }`, strict).ended).toMatchObject({
      kind: 'failed',
      error: { code: 'non_deterministic', details: { file: 'main.tac', line: 2 } },
    });
  });

  it('says so before the box, and can be caught', () => {
    const source = 'local ok, e = pcall(function() return os.time() end)\nreturn {ok, tostring(e)}';
    const [ok, text] = outputOf(source, strict) as [boolean, string];
    expect(ok).toBe(false);
    expect(text).toMatch(
      /^main\.tac:1: strict_determinism refuses os\.time\(\) outside of a checkpoint\n=+\n/,
    );
    expect(text.match(/DETERMINISM WARNING: ([^\n]+)/)?.[1]).toBe('os.time() called outside checkpoint');
  });

  const inFile = (value: boolean): string =>
    `Procedure { strict_determinism = ${value}, function() return os.time() > 0 end }`;
  const failed = { kind: 'failed', error: { code: 'non_deterministic' } };
  const completed = { kind: 'completed' };

  it.each([
    ['the file', inFile(true), {}, failed],
    [
      'the older dialect',
      'main = procedure("main", {strict_determinism = true}, function() return os.time() end)',
      {},
      failed,
    ],
    ['a script', 'strict_determinism(true)\nreturn os.time() > 0', {}, failed],
    ['a script that takes it back', 'strict_determinism(false)\nreturn os.time() > 0', {}, completed],
    ['configuration over the file', inFile(true), { settings: { strictDeterminism: false } }, completed],
    ['configuration where the file says no', inFile(false), strict, failed],
    ['nobody', inFile(false), {}, completed],
  ])('by %s', (_, source, options, expected) =>
    expect(runFake(source, options).ended).toMatchObject(expected),
  );

  it.each([
    ['Procedure { strict_determinism = "yes", function() end }', 'strict_determinism must be true or false'],
    ['strict_determinism("yes")', 'boolean expected, got string'],
  ])('is a truth value: %s', (source, message) => {
    const { ended } = runFake(source);
    expect(ended).toMatchObject({ kind: 'failed' });
    expect(ended?.kind === 'failed' && ended.error.message).toContain(message);
  });
});

describe('default_model and default_provider of the configuration', () => {
  const settings = { defaultModel: 'openai/gpt-5', defaultProvider: 'openai' };
  const asked = (head: string, agent: string): unknown => {
    const models: unknown[] = [];
    runFake(`${head}\nlocal a = Agent{${agent}}\nreturn a({message = "x"}).output`, {
      settings,
      perform: (effect) => {
        if (effect.kind === 'model_call') models.push(effect.call.model);
        return {
          text: 'x',
          toolCalls: [],
          usage: { input_tokens: 1, output_tokens: 1 },
          finishReason: 'stop',
        };
      },
    });
    return models[0];
  };

  it.each([
    ['', '', 'openai/gpt-5'],
    ['', 'model = "claude-haiku-4-5"', 'openai/claude-haiku-4-5'],
    ['', 'model = "anthropic/claude-haiku-4-5"', 'anthropic/claude-haiku-4-5'],
    ['default_model("gpt-5-nano")', '', 'openai/gpt-5-nano'],
    ['default_provider("anthropic") default_model("claude-haiku-4-5")', '', 'anthropic/claude-haiku-4-5'],
    ['default_provider("anthropic")', '', null],
    ['', 'provider = "openai"', 'openai/gpt-5'],
  ])('%s, Agent{%s}: %j', (head, agent, expected) => expect(asked(head, agent)).toEqual(expected));
});
