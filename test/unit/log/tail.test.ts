import { expect, it } from 'vitest';
import { lackedBy } from '../../../src/log/pages.js';

const tail = { from: 3, entries: ['d', 'e'] };

it.each([
  { count: 2, lacked: null },
  { count: 3, lacked: ['d', 'e'] },
  { count: 4, lacked: ['e'] },
  { count: 5, lacked: [] },
  { count: 9, lacked: [] },
])('a copy of $count entries lacks $lacked', ({ count, lacked }) => {
  expect(lackedBy(count, tail)).toEqual(lacked);
});
