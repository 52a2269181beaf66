import { expect, it } from 'vitest';
import type { Checkpoint, CleanupKind, Outcome } from '../../../src/contract/checkpoints/checkpoint.js';
import { failureIn } from '../../../src/log/requeue.js';
import { aCheckpoint } from '../../support/a-checkpoint.js';

const failure: Outcome = { ok: false, code: 'tool_failed', message: 'no' };
const at = (position: string, outcome: Outcome = { ok: true, value: 1 }): Checkpoint => ({
  ...aCheckpoint(0),
  ...{ position, outcome },
});
const other: Outcome = { ok: false, code: 'lua_error', message: 'other' };

it.each([
  ['nothing of an empty log', [], null],
  ['nothing where code failed outside of all checkpoints', [at('0'), at('1')], null],
  ['the last one', [at('0'), at('1', failure)], '1'],
  [
    'the innermost of it',
    [at('0'), at('1.0'), at('1.1.0', failure), at('1.1', failure), at('1', failure)],
    '1.1.0',
  ],
  ['the round, where something else had failed in it before', [at('1.0', other), at('1', failure)], '1'],
  ['the round, where its own code failed', [at('1.0', failure), at('1.1'), at('1', failure)], '1'],
  ['not what failed beside it', [at('0', failure), at('1', failure)], '1'],
])('the checkpoint that ended a run is %s', (_, log, position) => {
  expect(failureIn(log).at).toBe(position);
});

const cleanup = (position: string, kind: CleanupKind, outcome?: Outcome): Checkpoint => ({
  ...at(position, outcome),
  cleanup: kind,
});

it.each([
  [
    'all but what failed, and what was deferred',
    [at('0'), at('1', failure), at('2.0'), cleanup('2', 'deferred')],
    ['1', ['0']],
  ],
  [
    'all but what was deferred, where code failed',
    [at('0'), at('1.0'), cleanup('1', 'deferred')],
    [null, ['0']],
  ],
  [
    'nothing of a saga that was compensated',
    [
      ...[at('0'), at('1.0'), at('1.1', failure), at('1.2.0'), cleanup('1.2', 'compensation')],
      ...[at('1', failure), cleanup('2', 'deferred')],
    ],
    ['1', ['0']],
  ],
  [
    'nothing of the outermost of several sagas',
    [
      ...[at('0'), at('1.0'), at('1.1.0', failure), cleanup('1.1.1', 'compensation'), at('1.1', failure)],
      ...[cleanup('1.2', 'compensation', failure), at('1', failure)],
    ],
    ['1', ['0']],
  ],
  [
    'all of a saga that had nothing to take back',
    [at('0.0'), at('0.1', failure), cleanup('0.2', 'deferred'), at('0', failure)],
    ['0.1', ['0.0']],
  ],
  [
    'nothing of a saga that was given up with the run',
    [at('0'), at('1.0'), cleanup('1.2', 'compensation')],
    ['1', ['0']],
  ],
  [
    'what was done at the ends of parts that went well, and of failures that were handled',
    [
      ...[at('0.0'), cleanup('0.1', 'deferred'), at('0')],
      ...[at('1.0', failure), cleanup('1.1', 'compensation'), at('1', failure), at('2'), at('3', failure)],
    ],
    ['3', ['0.0', '0.1', '0', '1.0', '1.1', '1', '2']],
  ],
] satisfies [string, Checkpoint[], [string | null, string[]]][])('keeps %s', (_, log, expected) => {
  const { at: found, kept } = failureIn(log);
  expect([found, kept.map(({ position }) => position)]).toEqual(expected);
});
