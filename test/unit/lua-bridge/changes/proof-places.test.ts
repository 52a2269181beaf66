import { describe, expect, it } from 'vitest';
import { fakeProgram } from '../../../support/fake-host.js';
import { holds, inShort, procedure as P, prove, proved, record, wait } from './proof.fixture.js';

const recorded = P(`    checkpoint()\n    File.write("a", "b")\n    Sleep(1)\n${wait}`);
const inStep = (...lines: string[]): string =>
  P(
    `    step("s", function()\n${lines.map((each) => `      ${each}\n`).join('')}    end)\n    checkpoint()\n${wait}`,
  );
const inBranch = (...lines: string[]): string =>
  P(
    `    Parallel { function()\n${lines.map((each) => `        ${each}\n`).join('')}      end, function() Sleep(1) end }\n${wait}`,
  );
const beside = (...lines: string[]): string =>
  P(
    `    Parallel { function() Human.approve("Go?") end, function()\n${lines.map((each) => `      ${each}\n`).join('')}    end }`,
  );

describe('a divergence names the checkpoint itself, and the line of the new source', () => {
  holds([
    [
      'something is asked before it',
      recorded,
      recorded.replace('    File.write', '    File.read("x")\n    File.write'),
      'diverges at 1, line 6',
    ],
    [
      'an early return',
      recorded,
      recorded.replace('    File', '    if true then return { ok = true } end\n    File'),
      'diverges at 1, no line',
    ],
    [
      'what stands in the middle is gone',
      recorded,
      recorded.replace('    File.write("a", "b")\n', ''),
      'diverges at 1, line 6',
    ],
    [
      'the last of a step is gone',
      inStep('Sleep(1)', 'Sleep(2)'),
      inStep('Sleep(1)'),
      'diverges at 0.1, no line',
    ],
    [
      'the first of a step is gone',
      inStep('Sleep(1)', 'Sleep(2)'),
      inStep('Sleep(2)'),
      'diverges at 0.0, line 6',
    ],
    [
      'one more at the end of a step',
      inStep('Sleep(1)'),
      inStep('Sleep(1)', 'Sleep(2)'),
      'diverges at 0.1, line 7',
    ],
    [
      'a step more at the end of a step',
      inStep('Sleep(1)'),
      inStep('Sleep(1)', 'step("t", function()', '  Sleep(2)', 'end)'),
      'diverges at 0.1, line 7',
    ],
    [
      'a checkpoint more at the end of a branch',
      inBranch('Sleep(1)'),
      inBranch('Sleep(1)', 'checkpoint()'),
      'diverges at 0.0.1, line 7',
    ],
    [
      'the last of a branch is gone',
      inBranch('Sleep(1)', 'Sleep(2)'),
      inBranch('Sleep(1)'),
      'diverges at 0.0.1, no line',
    ],
    [
      'one more at the end of a branch',
      inBranch('Sleep(1)'),
      inBranch('Sleep(1)', 'Sleep(2)'),
      'diverges at 0.0.1, line 7',
    ],
    [
      'a branch that has ended is shorter, and another waits',
      beside('Sleep(1)', 'Sleep(2)'),
      beside('Sleep(1)'),
      'diverges at 0.1.1, no line',
    ],
    [
      'a branch that has ended is longer, and another waits',
      beside('Sleep(1)'),
      beside('Sleep(1)', 'Sleep(2)'),
      'fits',
    ],
    [
      'pcall around what is no longer asked for',
      recorded,
      recorded.replace('File.write("a", "b")', 'pcall(function() error("x") end)'),
      'diverges at 1, line 7',
    ],
    [
      'a step that succeeded fails',
      inStep('Sleep(1)'),
      inStep('Sleep(1)', 'error("no")').replace('step("s", ', 'pcall(step, "s", '),
      'diverges at 0, line 5',
    ],
    [
      'a checkpoint that succeeded fails',
      P(`    local a = checkpoint(function() return 1 end)\n${wait}`),
      P(`    local a = checkpoint(function() return nil + 1 end)\n${wait}`),
      'diverges at 0, line 5',
    ],
    [
      'a step around what was there',
      P(`    Sleep(1)\n    checkpoint()\n${wait}`),
      P(`    step("all", function() Sleep(1)\n    checkpoint() end)\n${wait}`),
      'diverges at 0, line 5',
    ],
    [
      'no step around it any more',
      inStep('Sleep(1)'),
      P(`    Sleep(1)\n    checkpoint()\n${wait}`),
      'diverges at 0, line 5',
    ],
    [
      'concurrency',
      P(`    Parallel.map({1, 2}, function(n) Sleep(n) end, { concurrency = 2 })\n${wait}`),
      P(`    Parallel.map({1, 2}, function(n) Sleep(n) end, { concurrency = 1 })\n${wait}`),
      'fits',
    ],
  ]);

  it.each([
    'File.write("c", "d")',
    'Sleep(1)',
    'step("s", function() end)',
    'checkpoint()',
    'Event.wait("e", { timeout = 1 })',
    'Human.input("Who?")',
  ])('%s before a question that was answered', (line) => {
    const q = (before: string): string =>
      P(
        `    checkpoint()\n${before}    local a = Human.approve("First?")\n    File.write("a", "b")\n${wait}`,
      );
    expect(inShort(proved(q(''), q(`    ${line}\n`), { people: [true] }))).toBe('diverges at 1, line 6');
  });

  it('what was recorded and what is asked now stand beside it, and the old line in words', () => {
    const { diverges, kept } = proved(inStep('Sleep(1)', 'Sleep(2)'), inStep('Sleep(1)'));
    expect(diverges).toMatchObject({
      expected: { position: '0.1', type: 'sleep', name: 'sleep 2s' },
      found: { position: '0', type: 'step', name: 's' },
      file: 'main.tac',
      line: null,
    });
    expect(diverges?.message).toContain('recorded is sleep');
    expect(diverges?.message).toContain('main.tac:7 asked for it when it was recorded');
    expect(kept).toBe(1);
  });

  it('what is new stands beside the frame that the log closes there', () => {
    const { diverges } = proved(inStep('Sleep(1)'), inStep('Sleep(1)', 'Sleep(2)'));
    expect(diverges).toMatchObject({
      file: 'main.tac',
      expected: { position: '0', type: 'step' },
      found: { position: '0.1', type: 'sleep', name: 'sleep 2s' },
    });
  });
});

describe('a source that fails before it asks for anything new is refused', () => {
  const input = { n: 3 };
  const typed = (type: string): string =>
    P(`    checkpoint()\n${wait}`, '', `input = { n = field.${type} {} },`);
  holds([
    [
      'a Lua error',
      recorded,
      recorded.replace('File.write("a", "b")', 'File.write("a", (nil).y)'),
      'fails: lua_error',
    ],
    [
      'error() before anything',
      recorded,
      recorded.replace('    checkpoint()', '    error("not yet")\n    checkpoint()'),
      'fails: lua_error',
    ],
    ['the syntax', recorded, recorded.replace('end,\n}', 'end\n'), 'fails: source_invalid'],
    ['no procedure', recorded, 'x = 1\n', 'fails: no_procedure'],
    [
      'an input that the run was not given',
      recorded,
      recorded.replace(
        'Procedure {\n',
        'Procedure {\n  input = { who = field.string { required = true } },\n',
      ),
      'fails: input_invalid',
    ],
    ['an input of another type', typed('number'), typed('string'), 'fails: input_invalid', { input }],
    ['an endless loop', recorded, P('    checkpoint()\n    while true do end\n'), 'fails: instruction_limit'],
    [
      'an error after the last checkpoint',
      recorded,
      recorded.replace('    local ok', '    error("no")\n    local ok'),
      'fails: lua_error',
    ],
    [
      'a source that ends',
      recorded,
      recorded.replace('    local ok', '    if true then return {} end\n    local ok'),
      'diverges at 3, no line',
    ],
  ]);
});

it('by the digests of the result, the new source replays, to the same answers', () => {
  const source = (more: string, reply: string): string =>
    P(
      `    local a = W("Why?").output\n    local b = t{}\n    local c = Human.approve { message = "First?"${more} }\n    checkpoint()\n    return { a, b, c, "${reply}" }`,
      `t = Tool { input = { n = field.integer { default = 1 }${more === '' ? '' : ', m = field.integer { default = 2 }'} }, function(args) return args.n end } W = Agent { model = "openai/gpt-5-mini", system_prompt = "${reply}" }`,
    );
  const [before, after] = [source('', 'old'), source(', approvers = { "mia" }', 'new')];
  const run = record(before, { people: [true] });
  const { digests, verdict } = prove(before, after, run);
  expect(verdict).toBe('fits');
  expect(Object.keys(digests).sort()).toEqual(['0.0', '1', '2']);
  const carried = run.log.map((each) => ({ ...each, digest: digests[each.position] ?? each.digest }));
  const program = fakeProgram(after, { carried });
  expect(program.turn()).toEqual({ kind: 'completed', output: ['answer', 1, true, 'new'] });
  // Without them it is another question.
  expect(fakeProgram(after, { carried: run.log }).turn()).toMatchObject({
    kind: 'failed',
    error: { code: 'non_determinism' },
  });
});
