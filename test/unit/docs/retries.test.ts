import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defaultLimits } from '../../../src/contract/runs/limits.js';

const page = readFileSync(new URL('../../../docs/retries.md', import.meta.url), 'utf8');

/** Attempts that the table names where nobody says anything, by the beginning of what is tried again. */
it.each([
  ['if it gets no usable response', defaultLimits.attempts],
  ['if the answer can', defaultLimits.answerAttempts],
  ['if it fails and is `pure` or `idempotent`', defaultLimits.toolAttempts],
])('docs/retries.md: what is tried again %s has %i attempts', (what, attempts) => {
  const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`| ${what}`));
  expect(row).toMatch(new RegExp(`\\| ${attempts} attempts`));
});
