import { describe, expect, it } from 'vitest';
import type { LogEntryView } from '../../../src/contract/run-view.js';
import { compareLogs } from '../../../src/testing/compare-logs.js';

function entry(position: string, more: Partial<LogEntryView> = {}): LogEntryView {
  return {
    position,
    name: 'look',
    type: 'explicit_checkpoint',
    status: 'completed',
    request: null,
    input: null,
    result: 1,
    error: null,
    timestamp: '2026-01-01T00:00:00.000Z',
    duration_ms: 1,
    source: { file: 'main.tac', line: 3 },
    ...more,
  };
}

describe('two logs', () => {
  it('are the same whenever they were made', () => {
    const later = { timestamp: '2027-01-01T00:00:00.000Z', duration_ms: 9 };
    expect(compareLogs([entry('0'), entry('1')], [entry('0', later), entry('1', later)])).toBeNull();
  });

  it.each([
    [
      [entry('0', { result: 2 })],
      "position 0: the first time explicit_checkpoint 'look' (main.tac:3) gave 1; the second time explicit_checkpoint 'look' (main.tac:3) gave 2",
    ],
    [
      [],
      "position 0: the first time explicit_checkpoint 'look' (main.tac:3) gave 1; the second time nothing came any more",
    ],
    [
      [entry('0', { type: 'tool_call', name: 'search', input: { q: 'tea' } })],
      `the second time tool_call 'search' (main.tac:3) of {"q":"tea"} gave 1`,
    ],
    [[entry('0', { status: 'failed', error: 'no luck', result: null })], 'failed with "no luck"'],
    [[entry('0'), entry('1')], 'position 1: the first time nothing came any more'],
  ])('differ', (second, message) => {
    expect(compareLogs([entry('0')], second)).toContain(message);
  });
});
