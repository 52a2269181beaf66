import { expect, it } from 'vitest';
import { faultText } from '../../../src/client/fault-text.js';
import { stuckText } from '../../../src/client/stuck-error.js';

it('a history that does not fit the worker is told in words, with what helps', () => {
  const message =
    '[TMPRL1100] Nondeterminism error: Timer machine does not handle this event: ActivityTaskScheduled';
  expect(faultText(message)).toBe(
    "its history doesn't fit the code of the worker (Timer machine does not handle this event: ActivityTaskScheduled)",
  );
  const told = stuckText({ since: '2026-01-02T03:04:05Z', attempt: 4, cause: 'failed', message });
  expect(told).toContain("its history doesn't fit the code of the worker");
  expect(told).not.toContain('TMPRL');
  expect(told).toContain('as soon as a worker without the fault is there');
});

it('any other word stays as it is', () => {
  expect(faultText('a fault')).toBe('a fault');
});
