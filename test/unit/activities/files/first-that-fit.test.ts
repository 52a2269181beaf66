import { expect, it } from 'vitest';
import { firstThatFit } from '../../../../src/activities/files/first-that-fit.js';

const sized = (bytes: number): Promise<string> => Promise.resolve('x'.repeat(bytes));

it('all are done where there is room', async () => {
  expect(await firstThatFit([1, 2, 3], sized)).toEqual(['x', 'xx', 'xxx']);
});

it('the first is done however large it is, and the next ones wait', async () => {
  expect(await firstThatFit([200_000, 1], sized)).toEqual(['x'.repeat(200_000)]);
  expect(await firstThatFit([60_000, 60_000, 1], sized)).toEqual(['x'.repeat(60_000)]);
});

it('one that fails waits for its own turn, and throws then', async () => {
  const failing = (n: number): Promise<string> =>
    n === 2 ? Promise.reject(new Error('too many open files')) : sized(n);
  expect(await firstThatFit([1, 2, 3], failing)).toEqual(['x']);
  await expect(firstThatFit([2, 3], failing)).rejects.toThrow('too many open files');
});
