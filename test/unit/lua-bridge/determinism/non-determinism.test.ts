import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import { runFake } from '../../../support/fake-host.js';

/** Runs one source, and another from its log. */
function replay(before: string, after: string, cut?: number) {
  const log = runFake(before).program.log.entries;
  const { ended, performed } = runFake(after, { carried: log.slice(0, cut) });
  return { log, ended, performed, error: ended?.kind === 'failed' ? ended.error : null };
}

const base = 'local a = Sleep(1)\nlocal b = File.read("x")\nlocal c = Human.approve("Sure?")\nreturn {b, c}';

describe('a carried log', () => {
  it('is replayed without performing anything', () => {
    const { ended, performed, log } = replay(base, base);
    expect(ended).toMatchObject({ kind: 'completed', output: ['content of x', true] });
    expect(performed).toEqual([]);
    expect(log.map(({ position, type }) => `${position} ${type}`)).toEqual([
      '0 sleep',
      '1 file',
      '2 hitl_approval',
    ]);
  });

  it('is gone on from where it ends', () => {
    for (const cut of [0, 1, 2])
      expect(replay(base, base, cut)).toMatchObject({
        ended: { output: ['content of x', true] },
        performed: { length: 3 - cut },
      });
  });

  it('fits a source that differs in what is not recorded', () => {
    const reworded = `-- reworded\nlocal time = os.time()\nprint("new")\n${base}`;
    expect(replay(base, reworded).ended).toMatchObject({ output: ['content of x', true] });
  });

  it('keeps the recorded result of a checkpoint that now returns another', () => {
    expect(
      replay('return checkpoint(function() return 1 end)', 'return checkpoint(function() return 2 end)')
        .ended,
    ).toMatchObject({ output: 1 });
  });

  it('answers branches in the order that is recorded', () => {
    const source =
      'local order = {}\nParallel{function() Sleep(1) order[#order + 1] = 1 end, function() Sleep(2) order[#order + 1] = 2 end}\nreturn order';
    const log = runFake(source).program.log.entries;
    const [first, second, frame] = log as [Checkpoint, Checkpoint, Checkpoint];
    expect(runFake(source, { carried: [second, first, frame] }).ended).toMatchObject({ output: [2, 1] });
  });
});

describe('a source that does not fit the log', () => {
  const differing: [string, string, string, object][] = [
    [
      'a changed argument',
      base,
      base.replace('"x"', '"y"'),
      {
        position: '1',
        line: 2,
        expected: { type: 'file', name: 'read x' },
        found: { type: 'file', name: 'read y' },
      },
    ],
    [
      'a changed argument that the name does not show',
      'Human.approve{message = "Sure?", context = {n = 1}}',
      'Human.approve{message = "Sure?", context = {n = 2}}',
      { position: '0', line: 1, expected: { name: 'Sure?' }, found: { name: 'Sure?' } },
    ],
    [
      'an inserted effect',
      base,
      base.replace('local b', 'Sleep(5)\nlocal b'),
      { position: '1', line: 2, expected: { type: 'file' }, found: { type: 'sleep', name: 'sleep 5s' } },
    ],
    [
      'an inserted checkpoint',
      base,
      base.replace('local b', 'checkpoint()\nlocal b'),
      { position: '1', line: 2, expected: { type: 'file' }, found: { type: 'explicit_checkpoint' } },
    ],
    [
      'a removed effect',
      base,
      base.replace('local b = File.read("x")', 'local b'),
      { position: '1', line: 3, expected: { type: 'file' }, found: { type: 'hitl_approval' } },
    ],
    [
      'effects in another order',
      'Sleep(1)\nFile.read("x")',
      'File.read("x")\nSleep(1)',
      { position: '0', line: 1, expected: { type: 'sleep' }, found: { type: 'file' } },
    ],
    [
      'an effect of another type',
      'Human.approve("Sure?")',
      'Human.input("Sure?")',
      { position: '0', line: 1, expected: { type: 'hitl_approval' }, found: { type: 'hitl_input' } },
    ],
    [
      'a step of another name',
      'step("a", function() Sleep(1) end)',
      'step("b", function() Sleep(1) end)',
      { position: '0', line: 1, expected: { type: 'step', name: 'a' }, found: { name: 'b' } },
    ],
    [
      'an effect that moved into a step',
      'Sleep(1)',
      'step("a", function() Sleep(1) end)',
      { position: '0', line: 1, expected: { type: 'sleep' }, found: { type: 'step' } },
    ],
    [
      'another number of branches',
      'Parallel{function() Sleep(1) end}',
      'Parallel{function() Sleep(1) end, function() end}',
      { position: '0', line: 1, expected: { type: 'parallel' }, found: { type: 'parallel' } },
    ],
    [
      'an effect inserted in a branch',
      'Parallel{function() Sleep(1) end, function() Sleep(2) end}',
      'Parallel{function() Sleep(1) checkpoint() end, function() Sleep(2) end}',
      { position: '0.0.1', line: 1, found: { type: 'explicit_checkpoint' } },
    ],
    [
      'an effect that is no longer come to',
      base,
      'Sleep(1)\nreturn 1',
      // No line of the new source asks for it.
      { position: '1', line: null, expected: { type: 'file' } },
    ],
    [
      'an effect that a wait stands before',
      'Sleep(1)\nFile.read("x")',
      'Parallel{function() Sleep(1) end}',
      { position: '0', line: 1, expected: { type: 'sleep' }, found: { type: 'parallel' } },
    ],
  ];

  it.each(differing)(
    '%s: says where, what was expected and what was found',
    (_what, before, after, details) => {
      const { error, performed } = replay(before, after);
      expect(performed).toEqual([]);
      expect(error).toMatchObject({ code: 'non_determinism', details });
      expect(error?.message).toMatch(
        /^NonDeterminismError at position [\d.]+: recorded is .*, the procedure now /,
      );
      expect(error?.details['file']).toBe('main.tac');
    },
  );

  it('a frame that failed and now succeeds', () => {
    const { error } = replay(
      'pcall(step, "a", function() error("no") end) Sleep(1)',
      'pcall(step, "a", function() end) Sleep(1)',
    );
    expect(error).toMatchObject({ code: 'non_determinism', details: { position: '0' } });
  });

  it('ends the run through every pcall', () => {
    const caught = 'while true do pcall(function() pcall(File.read, "y") end) end';
    expect(replay(base, caught).error).toMatchObject({ code: 'non_determinism' });
  });
});
