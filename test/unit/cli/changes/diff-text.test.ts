import { expect, it } from 'vitest';
import { diffText } from '../../../../src/cli/changes/diff-text.js';
import type { ComparedEntry, RunDiff } from '../../../../src/contract/changes/run-diff.js';

const missing = { left: 0, right: 0 };
const entry: ComparedEntry = { type: 'http', name: 'GET /a', input: { url: '/a' }, result: 1, error: null };
const at = (
  position: string,
  left: ComparedEntry | null,
  right: ComparedEntry | null,
): RunDiff['entries'][0] => ({
  position,
  left,
  right,
});

it('says how many are the same where nothing differs', () => {
  expect(diffText({ same: 1, entries: [], missing })).toBe('1 checkpoint is the same, 0 differ');
});

it('shows both sides of each field that differs, with a caret below the first character that does', () => {
  const other = { ...entry, input: { url: '/b' }, result: 2 };
  expect(diffText({ same: 3, entries: [at('4.0', entry, other)], missing }).split('\n')).toEqual([
    '3 checkpoints are the same, 1 differs',
    '4.0  http GET /a',
    ' input',
    '  - {"url":"/a"}',
    '  + {"url":"/b"}',
    '             ^',
    ' result',
    '  - 1',
    '  + 2',
    '    ^',
  ]);
});

it('shows what one run alone has, and what stands in its place', () => {
  expect(
    diffText({ same: 0, entries: [at('5', null, entry)], missing })
      .split('\n')
      .slice(1),
  ).toEqual(['5', '  - nothing', '  + http GET /a', '    ^']);
});

it('cuts long texts around their first difference, each to one line', () => {
  const text = (middle: string): ComparedEntry => ({
    ...entry,
    result: `${'a\n'.repeat(500)}${middle}${'z'.repeat(500)}`,
  });
  const lines = diffText({ same: 0, entries: [at('1', text('left'), text('right'))], missing }).split('\n');
  expect(lines).toHaveLength(6);
  const [, , , left = '', right = '', caret = ''] = lines;
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
  expect([left[caret.indexOf('^')], right[caret.indexOf('^')]]).toEqual(['l', 'r']);
});

it('shows twenty positions, and counts the rest', () => {
  const entries = Array.from({ length: 25 }, (_, index) => at(String(index), entry, null));
  expect(diffText({ same: 0, entries, missing })).toContain('and 5 more: --json has all of them');
});

it('says what the server no longer keeps', () => {
  expect(diffText({ same: 0, entries: [], missing: { left: 2, right: 0 } })).toContain(
    '2 (left) and 0 (right) checkpoints of earlier passes are no longer kept by the server',
  );
});
