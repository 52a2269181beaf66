import { expect, it } from 'vitest';
import { compareAsked, compareLogs } from '../../../src/log/compare.js';
import { aCheckpoint } from './checkpoint.fixture.js';

const before = ['0.1', '0.0', '0', '1', '10', '2'].map((position) => aCheckpoint(position));
const compare = (after: typeof before): ReturnType<typeof compareLogs> =>
  compareLogs(before, after, (one, other) => one.type === other.type);

it('two logs are the same whatever order their branches ended in', () => {
  expect(compare([...before].reverse())).toBeNull();
});

it('the first difference is that of the first position', () => {
  const changed = before.map((each) =>
    ['10', '2'].includes(each.position) ? { ...each, type: 'sleep' as const } : each,
  );
  expect(compare(changed)).toEqual({ before: aCheckpoint('2'), after: aCheckpoint('2', { type: 'sleep' }) });
});

it('a log that ends before the other, or has something in between, is another', () => {
  expect(compare(before.filter(({ position }) => position !== '10'))).toEqual({
    before: aCheckpoint('10'),
    after: undefined,
  });
  expect(compare([...before, aCheckpoint('11')])).toEqual({ before: undefined, after: aCheckpoint('11') });
  expect(compare([...before, aCheckpoint('0.5')])).toEqual({
    before: aCheckpoint('1'),
    after: aCheckpoint('0.5'),
  });
});

it('what asks for another kind of thing is another, whatever versions the digests of the kinds have', () => {
  const recorded = { position: '1', type: 'hitl_approval', name: 'Sure?', digest: '3:abc' };
  const asked = { position: '1', type: 'file', name: 'write a.txt', digest: '1:def' };
  const identify = (version: number): string => {
    throw new Error(`no version ${version}`);
  };
  expect(compareAsked(recorded, { ...asked, identify })).toEqual(asked);
  expect(() => compareAsked(recorded, { ...recorded, digest: '1:def', identify })).toThrow('no version 3');
});
