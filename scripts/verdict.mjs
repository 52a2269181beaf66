/**
 * What counts as passed and failed: each test, and each check that ended with an exit code of its own. No
 * tests at all is a failure, and so is a test run that fails without a failed test (a suite that can't load).
 * @param {{ numPassedTests: number, numFailedTests: number } | undefined} report vitest's JSON report
 * @param {Record<string, string>} exitCodes of the checks by name; `tests` is vitest's own
 */
export function verdict(report, { tests = '0', ...checks }) {
  const passed = report?.numPassedTests ?? 0;
  let failed = report?.numFailedTests ?? 0;
  /** @type {string[]} */
  const reasons = [];
  /** @param {string} reason */
  const fail = (reason) => {
    failed += 1;
    reasons.push(`FAILED: ${reason}`);
  };
  if (report === undefined) fail('the tests left no report');
  else if (passed + failed === 0) fail('no test ran');
  else if (tests !== '0' && failed === 0) fail(`the test run ended with exit code ${tests}`);
  for (const [name, code] of Object.entries(checks)) {
    if (code !== '0') fail(`${name} ended with exit code ${code}`);
  }
  return { passed, failed, reasons };
}
