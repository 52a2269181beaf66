import { Context } from '@temporalio/activity';
import type { Tries } from '../contract/retry-policy.js';
import type { Fault } from './fault.js';

/** How often a call may be tried in all where it goes wrong like that. */
export function attemptsOf({ isAnswer }: Fault, { attempts, answers }: Tries): number {
  return isAnswer ? answers : attempts;
}

/** Whether there is another attempt after this one. */
export function isTriedAgain(fault: Fault, tries: Tries): boolean {
  if (!fault.retryable) return false;
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = Context.current().info;
  const { retryAfterMs } = fault;
  const most = attemptsOf(fault, tries);
  if (attempt >= most && (retryAfterMs === null || tries.isSaid)) return false;
  if (retryAfterMs === null) return true;
  // Both are the server's time, which may be skipped.
  const elapsedMs = currentAttemptScheduledTimestampMs - scheduledTimestampMs;
  return elapsedMs + retryAfterMs <= tries.patienceMs;
}
