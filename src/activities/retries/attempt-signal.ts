import { Context } from '@temporalio/activity';

/** Timers of Node overflow past this and fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Aborts when the activity is cancelled, or with a `TimeoutError` after `timeoutMs`. */
export function attemptSignal(timeoutMs: number | undefined): AbortSignal {
  const { cancellationSignal } = Context.current();
  if (timeoutMs === undefined || !(timeoutMs > 0)) return cancellationSignal;
  const timeout = AbortSignal.timeout(Math.ceil(Math.min(timeoutMs, longestTimerMs)));
  return AbortSignal.any([cancellationSignal, timeout]);
}

/** Whether the signal aborted because the time was up, not because the activity was cancelled. */
export function isTimeout(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}
