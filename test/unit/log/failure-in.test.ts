import { expect, it } from 'vitest';
import type { Checkpoint, FollowUp, Outcome } from '../../../src/contract/checkpoints/checkpoint.js';
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

const followUp = (position: string, kind: FollowUp, outcome?: Outcome): Checkpoint => ({
  ...at(position, outcome),
  followUp: kind,
});

it.each([
  [
    'all but what failed, and what was deferred',
    [at('0'), at('1', failure), at('2.0'), followUp('2', 'deferred')],
    ['1', ['0']],
  ],
  [
    'all but what was deferred, where code failed',
    [at('0'), at('1.0'), followUp('1', 'deferred')],
    [null, ['0']],
  ],
  [
    'nothing of a saga that was compensated',
    [
      ...[at('0'), at('1.0'), at('1.1', failure), at('1.2.0'), followUp('1.2', 'compensation')],
      ...[at('1', failure), followUp('2', 'deferred')],
    ],
    ['1', ['0']],
  ],
  [
    'nothing of the outermost of several sagas',
    [
      ...[at('0'), at('1.0'), at('1.1.0', failure), followUp('1.1.1', 'compensation'), at('1.1', failure)],
      ...[followUp('1.2', 'compensation', failure), at('1', failure)],
    ],
    ['1', ['0']],
  ],
  [
    'answers to questions about failures before, and not the last one',
    [
      ...[at('0.0', failure), followUp('0.1', 'question'), at('0.2', failure), followUp('0.3', 'question')],
      ...[followUp('0.4', 'question'), at('0', failure)],
    ],
    ['0.2', ['0.0', '0.1']],
  ],
  [
    'the same at the top',
    [at('0', failure), followUp('1', 'question'), at('2', failure), followUp('3', 'question')],
    ['2', ['0', '1']],
  ],
  [
    'all of a saga that had nothing to take back',
    [at('0.0'), at('0.1', failure), followUp('0.2', 'deferred'), at('0', failure)],
    ['0.1', ['0.0']],
  ],
  [
    'nothing of a saga that was given up with the run',
    [at('0'), at('1.0'), followUp('1.2', 'compensation')],
    ['1', ['0']],
  ],
  [
    'what was done at the ends of parts that went well, and of failures that were handled',
    [
      ...[at('0.0'), followUp('0.1', 'deferred'), at('0')],
      ...[at('1.0', failure), followUp('1.1', 'compensation'), at('1', failure), at('2'), at('3', failure)],
    ],
    ['3', ['0.0', '0.1', '0', '1.0', '1.1', '1', '2']],
  ],
] satisfies [string, Checkpoint[], [string | null, string[]]][])('keeps %s', (_, log, expected) => {
  const { at: found, kept } = failureIn(log);
  expect([found, kept.map(({ position }) => position)]).toEqual(expected);
});
