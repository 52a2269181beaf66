import { describe, expect, it } from 'vitest';
import type { Checkpoint, CheckpointType } from '../../../src/contract/checkpoints/checkpoint.js';
import { withoutFailure } from '../../../src/log/requeue.js';

/** `type position`, with `!` before it where it failed. */
const entry = (text: string): Checkpoint => {
  const [, mark, type = '', position = ''] = /^(!?)(\w+) ([\d.]+)$/.exec(text) ?? [];
  return {
    ...{ position, type: type as CheckpointType, name: type, digest: '', at: 0, durationMs: 0 },
    ...{ source: null, input: null },
    outcome:
      mark === '!' ? { ok: false, code: 'model_call_failed', message: 'x' } : { ok: true, value: null },
  };
};
const left = (log: string[], at: string): string[] =>
  withoutFailure(log.map(entry), at).map(
    ({ outcome, type, position }) => `${outcome.ok ? '' : '!'}${type} ${position}`,
  );

describe('a log without the failure that ended its run', () => {
  it('has neither the call nor the frames around it', () => {
    expect(left(['http 0', 'model_call 1.0', '!model_call 1.1', '!agent_turn 1'], '1.1')).toEqual([
      'http 0',
      'model_call 1.0',
    ]);
  });

  it('has what was done beside it, before and after', () => {
    expect(left(['http 0.0.0', '!http 0.1.0', 'http 0.2.0', 'http 0.10.0', '!parallel 0'], '0.1.0')).toEqual([
      'http 0.0.0',
      'http 0.2.0',
      'http 0.10.0',
    ]);
  });

  it('has failures that were handled before', () => {
    const log = ['!http 0', 'http 1', '!http 2'];
    expect(left(log, '2')).toEqual(['!http 0', 'http 1']);
  });

  it('has none of the failures of a super-step, and what succeeded in its nodes', () => {
    const log = [
      'super_step 0.0.0',
      ...['http 0.0.1.0.0.0.0', '!http 0.0.1.0.0.0.1', '!graph_node 0.0.1.0.0.0'],
      ...['!http 0.0.1.0.1.0.0', 'step 0.0.1.0.1.0.0', '!http 0.0.1.0.1.0.1', '!graph_node 0.0.1.0.1.0'],
      ...['http 0.0.1.0.2.0.0', 'graph_node 0.0.1.0.2.0'],
      ...['!parallel 0.0.1.0', '!super_step 0.0.1', '!graph 0'],
    ];
    expect(left(log, '0.0.1.0.0.0.1')).toEqual([
      'super_step 0.0.0',
      'http 0.0.1.0.0.0.0',
      ...['!http 0.0.1.0.1.0.0', 'step 0.0.1.0.1.0.0'],
      ...['http 0.0.1.0.2.0.0', 'graph_node 0.0.1.0.2.0'],
    ]);
  });
});
