import { expect, it } from 'vitest';
import { verdict } from '../../../scripts/verdict.mjs';

const good = { numPassedTests: 7, numFailedTests: 0 };

it('passes when everything did', () => {
  expect(verdict(good, { tests: '0', lint: '0', types: '0' })).toEqual({ passed: 7, failed: 0, reasons: [] });
});

it('counts lint and types as one failure each', () => {
  expect(verdict(good, { tests: '0', lint: '1', types: '2' })).toMatchObject({ passed: 7, failed: 2 });
});

it.each([
  ['there is no report', undefined, '1'],
  ['no test ran', { numPassedTests: 0, numFailedTests: 0 }, '0'],
  ['a suite could not be loaded', good, '1'],
])('fails when %s', (_, report, tests) => {
  expect(verdict(report, { tests, lint: '0', types: '0' })).toMatchObject({ failed: 1 });
});

it('does not count a failed test twice', () => {
  const report = { numPassedTests: 6, numFailedTests: 1 };
  expect(verdict(report, { tests: '1', lint: '0', types: '0' })).toMatchObject({ passed: 6, failed: 1 });
});
