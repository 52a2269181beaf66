import { Context } from '@temporalio/activity';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import type { Tries } from '../../contract/retries/retry-policy.js';
import type { Fault } from './fault.js';

/** How often a call came to a worker that lacks what it needs, before this attempt: heartbeats hand that on. */
export function passedBefore(): number {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails?: JsonValue };
  const { passed } = (isObject(heartbeatDetails ?? null) ? heartbeatDetails : {}) as { passed?: unknown };
  return typeof passed === 'number' ? passed : 0;
}

/** Which attempt of the call's own this is: those of workers that couldn't make it don't count. */
export function ownAttempt(): number {
  return Context.current().info.attempt - passedBefore();
}

/** How often a call may be tried in all where it goes wrong like that; null: as often as there is time for. */
export function attemptsOf({ isAnswer }: Fault, { attempts, answers, isSaid, timeMs }: Tries): number | null {
  if (isAnswer) return answers;
  return timeMs === undefined || isSaid ? attempts : null;
}

/** Whether there is another attempt after this one. */
export function isTriedAgain(fault: Fault, tries: Tries): boolean {
  if (!fault.retryable) return false;
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = Context.current().info;
  const { retryAfterMs } = fault;
  const { timeMs = Number.POSITIVE_INFINITY, isSaid, patienceMs } = tries;
  // Both are the server's time, which may be skipped: when the first attempt, and this one, were put on its list.
  const elapsedMs = currentAttemptScheduledTimestampMs - scheduledTimestampMs;
  if (elapsedMs >= timeMs) return false;
  const most = attemptsOf(fault, tries);
  if (most !== null && ownAttempt() >= most && (retryAfterMs === null || isSaid)) return false;
  if (retryAfterMs === null) return true;
  return elapsedMs + retryAfterMs <= (tries.timeMs ?? patienceMs);
}
