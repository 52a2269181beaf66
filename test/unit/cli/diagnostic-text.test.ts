import picocolors from 'picocolors';
import { expect, it } from 'vitest';
import { diagnosticText, summaryText } from '../../../src/cli/diagnostic-text.js';
import { Screen } from '../../../src/cli/screen.js';
import type { Diagnostic } from '../../../src/validation/index.js';

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

it('lets no terminal obey a source', () => {
  const text = diagnosticText({ ...found, message: 'a\u001b[2Jb' }, '--\nx\u001b[31m\u202ey', plain);
  for (const control of ['\u001b', '\u202e']) expect(text).not.toContain(control);
});

it('counts what it found', () => {
  expect(summaryText([], ['a.tac'])).toBe('a.tac: valid');
  expect(summaryText([found, found, { ...found, severity: 'info' }], ['a.tac', 'b.tac'])).toBe(
    '2 files: not valid, 2 errors, 1 hint',
  );
});

it('is in colour on a terminal, unless that is not wanted', () => {
  const stream = (isTTY: boolean | undefined): NodeJS.WriteStream => ({ isTTY }) as NodeJS.WriteStream;
  const red = (color: boolean, isTTY: boolean | undefined): string =>
    new Screen({ json: false, quiet: false, color }).painter(stream(isTTY)).red('x');
  expect(red(true, true)).toBe('\u001b[31mx\u001b[39m');
  expect(red(false, true)).toBe('x');
  expect(red(true, undefined)).toBe('x');
});
