import { Context } from '@temporalio/activity';
import { Fault } from './failures.js';

/** Timers of Node overflow past this and fire at once. */
const longestTimerMs = 2 ** 31 - 1;

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

/** Waits for signs of life. */
export interface IdleWatch {
  /** Aborts with a `Fault` once there was none for too long. */
  readonly signal: AbortSignal;
  heard(): void;
  end(): void;
}

/** @param longestMs the longest silence, from now on or between two signs */
export function idleWatch(longestMs: number): IdleWatch {
  const controller = new AbortController();
  const giveUp = (): void => {
    const message = `has sent nothing for ${longestMs / 1_000} s`;
    controller.abort(new Fault(message, { retryable: true }));
  };
  const timer = setTimeout(giveUp, Math.min(longestMs, longestTimerMs));
  return {
    signal: controller.signal,
    heard: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  };
}

/** The promise's outcome, or the signal's reason where that comes first. The promise itself goes on. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Runs work one after the other, in order of arrival. What is aborted while it waits gives its place up. */
export type Queue = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const previous = last;
    const outcome = untilAborted(previous, signal).then(work);
    // Whoever gives up while waiting must not let the next one pass those before.
    last = Promise.allSettled([previous, outcome]);
    return outcome;
  };
}
