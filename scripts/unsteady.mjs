/**
 * Of a report of vitest as JSON, what is looked at here.
 * @typedef {{ fullName: string, status: string }} TestResult
 * @typedef {{ name: string, status: string, assertionResults: TestResult[] }} FileResult
 * @typedef {{ numPassedTests: number, numFailedTests: number, success: boolean, testResults: FileResult[] }} Report
 */

/**
 * Files with a test that failed, or that couldn't be loaded.
 * @param {Report} report
 * @returns {string[]}
 */
export function failedFiles({ testResults }) {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/**
 * What a run has come to, of which a few files failed and were run by themselves. Tests that passed then count as passed, and are named in `unsteady`.
 * @param {Report} report
 * @param {Report} alone
 * @returns {Pick<Report, 'numPassedTests' | 'numFailedTests' | 'success'> & { unsteady: string[] }}
 */
export function withAlone(report, alone) {
  const again = new Map(alone.testResults.map((file) => [file.name, file.assertionResults]));
  const failedAgain = new Set(failedFiles(alone));
  const repeated = report.testResults.filter(({ name, status }) => status === 'failed' && again.has(name));
  const before = repeated.flatMap(({ assertionResults }) => assertionResults);
  const after = repeated.flatMap(({ name }) => again.get(name) ?? []);
  const unsteady = repeated.flatMap(({ name, assertionResults }) => {
    const passed = new Set((again.get(name) ?? []).filter(isPassed).map(({ fullName }) => fullName));
    const failed = assertionResults.filter(isFailed).map(({ fullName }) => fullName);
    // One that couldn't be loaded has no tests of which to tell.
    if (failed.length === 0) return failedAgain.has(name) ? [] : [name];
    return failed.filter((test) => passed.has(test)).map((test) => `${name}: ${test}`);
  });
  return {
    numPassedTests: report.numPassedTests - before.filter(isPassed).length + after.filter(isPassed).length,
    numFailedTests: report.numFailedTests - before.filter(isFailed).length + after.filter(isFailed).length,
    success: alone.success && repeated.length === failedFiles(report).length,
    unsteady,
  };
}

/** @param {TestResult} test */
function isPassed({ status }) {
  return status === 'passed';
}

/** @param {TestResult} test */
function isFailed({ status }) {
  return status === 'failed';
}
