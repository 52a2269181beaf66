import { expect, it } from 'vitest';
import { childPosition, comparePositions } from '../../../../src/contract/checkpoints/checkpoint.js';

it.each([
  ['', 0, '0'],
  ['', 12, '12'],
  ['4', 0, '4.0'],
  ['4.0', 2, '4.0.2'],
])('child of %j number %i is %s', (parent, index, position) => {
  expect(childPosition(parent, index)).toBe(position);
});

it('positions are ordered as people read them', () => {
  const ordered = [
    '0',
    '1',
    '4',
    '4.0',
    '4.0.0',
    '4.0.2',
    '4.0.10',
    '4.1',
    '4.2.0',
    '4.10',
    '5',
    '10',
    '10.0',
  ];
  expect([...ordered].reverse().sort(comparePositions)).toEqual(ordered);
  expect(comparePositions('4.0', '4.0')).toBe(0);
});
