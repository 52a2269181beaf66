import picocolors from 'picocolors';
import { expect, it } from 'vitest';
import { diagnosticText, summaryText } from '../../../../src/cli/procedures/diagnostic-text.js';
import type { Diagnostic } from '../../../../src/validation/index.js';

const plain = picocolors.createColors(false);
const found: Diagnostic = {
  ...{ file: 'main.tac', line: 2, column: 3, severity: 'error', code: 'unknown_name' },
  ...{ message: 'The name x is not known', suggestion: null },
};

it('shows a part of a long line', () => {
  const text = `--\n${'a'.repeat(500)}here`;
  const [, shown = '', caret = ''] = diagnosticText({ ...found, column: 501 }, text, plain).split('\n');
  expect(shown.length).toBeLessThan(140);
  expect(shown[caret.indexOf('^')]).toBe('h');
});

it('counts what it found', () => {
  expect(summaryText([], ['a.tac'])).toBe('a.tac: valid');
  expect(summaryText([found, found, { ...found, severity: 'info' }], ['a.tac', 'b.tac'])).toBe(
    '2 files: not valid, 2 errors, 1 hint',
  );
});
