import { expect, it } from 'vitest';
import { diffLogs } from '../../../src/log/diff.js';
import { aCheckpoint } from './checkpoint.fixture.js';

const left = ['0.1', '0.0', '0', '10', '2'].map((position) => aCheckpoint(position));
const diff = (right: typeof left): ReturnType<typeof diffLogs<(typeof left)[number]>> =>
  diffLogs(left, right, (one, other) => one.type === other.type);

it('two logs are the same whatever order their branches ended in', () => {
  expect(diff([...left].reverse())).toEqual({ same: 5, entries: [] });
});

it('gives each position that differs, in the order of positions, with both sides', () => {
  const right = [
    aCheckpoint('11'),
    aCheckpoint('2', { type: 'sleep' }),
    ...left.filter(({ position }) => !['2', '0.1'].includes(position)),
  ];
  expect(diff(right)).toEqual({
    same: 3,
    entries: [
      { position: '0.1', left: aCheckpoint('0.1'), right: null },
      { position: '2', left: aCheckpoint('2'), right: aCheckpoint('2', { type: 'sleep' }) },
      { position: '11', left: null, right: aCheckpoint('11') },
    ],
  });
});
