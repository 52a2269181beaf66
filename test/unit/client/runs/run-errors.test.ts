import { expect, it } from 'vitest';
import { faultText } from '../../../../src/client/runs/run-errors.js';
import { stuckText } from '../../../../src/client/health/trouble.js';

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

it('a task that nobody finishes in time is no fault of the code', () => {
  const message = 'no worker finished its workflow task in time (start to close)';
  const told = stuckText({ since: '2026-01-02T03:04:05Z', attempt: 7, cause: 'timeout', message });
  expect(told).toContain(
    'It goes on by itself as soon as one is done in time: add workers, or give them more CPU',
  );
  expect(told).not.toContain('fault');
});

it('any other word stays as it is', () => {
  expect(faultText('a fault')).toBe('a fault');
});
