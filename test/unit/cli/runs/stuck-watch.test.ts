import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Screen } from '../../../../src/cli/terminal/screen.js';
import { StuckWatch } from '../../../../src/cli/runs/run-text.js';

const fault = { since: '2026-01-01T00:00:00.000Z', attempt: 2, cause: 'unhandled', message: 'bad' };
const stuck = new Map([['r', fault]]);
const none = new Map<string, typeof fault>();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(isInteractive: boolean): { watch: StuckWatch; said: string[] } {
  const said: string[] = [];
  const screen = { isInteractive, warn: (text: string) => said.push(text) } as unknown as Screen;
  return { watch: new StuckWatch(screen), said };
}

it('tells of each failure once', () => {
  const { watch: each, said } = watch(false);
  each.look(stuck);
  each.look(new Map([['r', { ...fault, attempt: 3 }]]));
  expect(said).toEqual([
    expect.stringMatching(/^The run r is stuck since .*, on attempt 2: bad\. It goes on/),
  ]);
  each.look(new Map([['r', { ...fault, message: 'worse' }]]));
  expect(said).toHaveLength(2);
});

it('gives up after a minute of it where nobody looks on', () => {
  const { watch: each } = watch(false);
  expect(each.look(stuck)).toBe(false);
  vi.advanceTimersByTime(59_000);
  expect(each.look(stuck)).toBe(false);
  vi.advanceTimersByTime(2_000);
  expect(each.look(stuck)).toBe(true);
  expect(each.look(none)).toBe(false);
  expect(each.look(stuck)).toBe(false);
});

it('waits for as long as somebody looks on', () => {
  const { watch: each } = watch(true);
  each.look(stuck);
  vi.advanceTimersByTime(3_600_000);
  expect(each.look(stuck)).toBe(false);
});
