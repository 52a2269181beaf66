import { describe, expect, it } from 'vitest';
import { fork } from '../../../src/log/pack.js';
import { aCheckpoint } from './checkpoint.fixture.js';

/** In the order in which they ended: a step with two parts, two branches, and an effect. */
const log = ['0', '1.0', '1.1', '1', '2.1.0', '2.0.0', '2', '10'].map((position) => aCheckpoint(position));
const positions = (at: string): string[] | undefined => fork(log, at)?.map(({ position }) => position);

describe('a log that is forked', () => {
  it.each([
    ['0', []],
    ['10', ['0', '1.0', '1.1', '1', '2.1.0', '2.0.0', '2']],
  ])('at %s has what had ended before it', (at, expected) => {
    expect(positions(at)).toEqual(expected);
  });

  it('has nothing of what is part of the checkpoint', () => {
    expect(positions('1')).toEqual(['0']);
    expect(positions('1.1')).toEqual(['0', '1.0']);
    expect(positions('2')).toEqual(['0', '1.0', '1.1', '1']);
  });

  it('has what another branch had by then', () => {
    expect(positions('2.0.0')).toEqual(['0', '1.0', '1.1', '1', '2.1.0']);
    expect(positions('2.1.0')).toEqual(['0', '1.0', '1.1', '1']);
  });

  it('ends with the checkpoint as it is set, whatever it came to', () => {
    const failed = aCheckpoint('1', { outcome: { ok: false, code: 'file_failed', message: 'gone' } });
    const set = fork([aCheckpoint('0'), aCheckpoint('1.0'), failed, aCheckpoint('2')], '1', { n: 2 });
    expect(set?.map(({ position }) => position)).toEqual(['0', '1.0', '1']);
    expect(set?.at(-1)).toEqual({ ...failed, outcome: { ok: true, value: { n: 2 } } });
  });

  it('is none where there is no such checkpoint', () => {
    expect(fork(log, '3')).toBeNull();
    expect(fork(log, '1.', 1)).toBeNull();
  });
});
