import { longestTimerMs } from './attempt-signal.js';
import { Fault } from './fault.js';

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
