import { expect, it } from 'vitest';
import { slowestFiles } from '../../../scripts/slowest-files.mjs';
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

it('names the files that took longest, by their place in the project', () => {
  const took = (name: string, seconds: number) => ({
    name,
    startTime: 1_000,
    endTime: 1_000 + seconds * 1_000,
  });
  const testResults = [
    took('/here/a.test.ts', 1),
    took('/here/b.test.ts', 120.04),
    took('/other/c.test.ts', 30),
  ];
  const unloaded = { name: '/here/d.test.ts' };
  expect(slowestFiles({ testResults: [...testResults, unloaded] }, { count: 2, root: '/here' })).toEqual([
    '  120.0 s  b.test.ts',
    '   30.0 s  /other/c.test.ts',
  ]);
});
