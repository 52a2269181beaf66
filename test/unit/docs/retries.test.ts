import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defaultLimits } from '../../../src/contract/runs/limits.js';

const page = readFileSync(new URL('../../../docs/retries.md', import.meta.url), 'utf8');

/** Attempts that the table names where nobody says anything, by the beginning of what is tried again. */
it.each([
  ['where it fails on its way', defaultLimits.attempts],
  ['where an answer came that can', defaultLimits.answerAttempts],
  ['where it fails, if it is `pure` or `idempotent`', defaultLimits.toolAttempts],
])('docs/retries.md: what is tried again %s has %i attempts', (what, attempts) => {
  const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`| ${what}`));
  expect(row).toMatch(new RegExp(`\\| ${attempts} attempts`));
});
