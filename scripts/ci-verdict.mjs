/** Sums up the checks of `.ci/run`: `node scripts/ci-verdict.mjs REPORT NAME=EXITCODE…`. */
import { readFileSync } from 'node:fs';
import { verdict } from './verdict.mjs';

const [file = '', ...checks] = process.argv.slice(2);
const exitCodes = Object.fromEntries(checks.map((check) => check.split('=')));
const { passed, failed, reasons } = verdict(readReport(), exitCodes);
for (const reason of reasons) console.log(reason);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function readReport() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
