/** Sums up the checks of `.ci/run`: `node scripts/ci-verdict.mjs REPORT ALONE NAME=EXITCODE…`. ALONE is there where files that failed were run once more. */
import { existsSync, readFileSync } from 'node:fs';
import { slowestFiles } from './slowest-files.mjs';
import { withAlone } from './unsteady.mjs';
import { verdict } from './verdict.mjs';

const [file = '', alone = '', ...checks] = process.argv.slice(2);
const exitCodes = Object.fromEntries(checks.map((check) => check.split('=')));
const report = read(file);
if (report !== undefined) tellSlowest(report);
if (report !== undefined && existsSync(alone)) {
  const { unsteady, ...both } = withAlone(report, read(alone));
  for (const test of unsteady) console.log(`UNSTEADY, failed beside others and passed alone: ${test}`);
  tell(verdict(both, { ...exitCodes, ...(both.success ? { tests: '0' } : {}) }));
} else tell(verdict(report, exitCodes));

/** @param {ReturnType<typeof verdict>} found */
function tell({ passed, failed, reasons }) {
  for (const reason of reasons) console.log(reason);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

/** @param {Parameters<typeof slowestFiles>[0]} report */
function tellSlowest(report) {
  console.log('The ten files of tests that took longest:');
  for (const line of slowestFiles(report, { count: 10, root: process.cwd() })) console.log(line);
}

/** @param {string} path */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
