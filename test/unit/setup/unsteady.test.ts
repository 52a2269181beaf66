import { expect, it } from 'vitest';
import { failedFiles, withAlone } from '../../../scripts/unsteady.mjs';

const tests = (...statuses: string[]) => statuses.map((status, i) => ({ fullName: `test ${i}`, status }));
const file = (name: string, status: string, ...statuses: string[]) => ({
  ...{ name, status, assertionResults: tests(...statuses) },
});
const reportOf = (...testResults: ReturnType<typeof file>[]) => {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (wanted: string) => all.filter(({ status }) => status === wanted).length;
  return {
    ...{ numPassedTests: count('passed'), numFailedTests: count('failed'), testResults },
    success: testResults.every(({ status }) => status === 'passed'),
  };
};

const good = file('good', 'passed', 'passed', 'passed');
const crowded = reportOf(good, file('shaky', 'failed', 'passed', 'failed', 'skipped'));

it('names the files that failed, be it that they could not be loaded', () => {
  expect(failedFiles(reportOf(good, file('shaky', 'failed', 'failed'), file('broken', 'failed')))).toEqual([
    'shaky',
    'broken',
  ]);
});

it('counts what passes alone as passed, and says which', () => {
  const alone = reportOf(file('shaky', 'passed', 'passed', 'passed', 'skipped'));
  expect(withAlone(crowded, alone)).toEqual({
    ...{ numPassedTests: 4, numFailedTests: 0, success: true },
    unsteady: ['shaky: test 1'],
  });
});

it.each([
  ['fails again', file('shaky', 'failed', 'passed', 'failed', 'skipped'), 3, 1],
  ['fails in another test', file('shaky', 'failed', 'failed', 'passed', 'skipped'), 3, 1],
  ['can not be loaded', file('shaky', 'failed'), 2, 0],
])('is no success where the file %s', (_, again, numPassedTests, numFailedTests) => {
  expect(withAlone(crowded, reportOf(again))).toMatchObject({
    ...{ numPassedTests, numFailedTests, success: false },
  });
});

it('is no success where not all of what failed was run again', () => {
  const report = reportOf(file('shaky', 'failed', 'failed'), file('other', 'failed', 'failed'));
  const alone = reportOf(file('shaky', 'passed', 'passed'));
  expect(withAlone(report, alone)).toMatchObject({ numFailedTests: 1, success: false });
});

it('takes a file that could not be loaded in the crowd', () => {
  const alone = reportOf(file('broken', 'passed', 'passed'));
  expect(withAlone(reportOf(good, file('broken', 'failed')), alone)).toEqual({
    ...{ numPassedTests: 3, numFailedTests: 0, success: true },
    unsteady: ['broken'],
  });
});

it('does not call a file unsteady that could not be loaded alone either', () => {
  const broken = reportOf(file('broken', 'failed'));
  expect(withAlone(reportOf(good, file('broken', 'failed')), broken)).toMatchObject({
    ...{ success: false, unsteady: [] },
  });
});
