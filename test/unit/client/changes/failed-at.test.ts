import { expect, it } from 'vitest';
import { failedAt } from '../../../../src/client/changes/retry.js';
import type { Checkpoint, Outcome } from '../../../../src/contract/checkpoints/checkpoint.js';
import { aCheckpoint } from '../../../support/a-checkpoint.js';

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
  expect(failedAt(log)).toBe(position);
});
