import { TactusError, type ErrorCode } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { readDuration, readMoment, type ChildDeadline } from '../../contract/time/duration.js';
import { currentFrame, type Bridge, type LuaState } from '../kernel/index.js';

/** A time from when it begins, in ms, or a moment, in ms since 1970. */
export type Deadline = { afterMs: number } | { at: number };

/**
 * Reads `deadline = "2h"`, `deadline = 90` or `deadline = "2030-01-31T09:00:00Z"`; null where there is none.
 * @throws TactusError with the given code where it is something else
 */
export function readDeadline(given: JsonValue | undefined, what: string, code: ErrorCode): Deadline | null {
  if (given === undefined || given === null) return null;
  const at = typeof given === 'string' ? readMoment(given) : null;
  if (at !== null) return { at };
  const afterMs = readDuration(given, what, code);
  if (afterMs === 0) throw new TactusError(code, `${what} must be more than 0`);
  return { afterMs };
}

/** The same in runs that have deadlines; null in others. */
export function deadlineOf(
  { holds }: Bridge,
  given: JsonValue | undefined,
  what: string,
  code: ErrorCode = 'source_invalid',
): Deadline | null {
  return holds('deadlines') ? readDeadline(given, `${what}: deadline`, code) : null;
}

/** As the log shows it. */
export function textOf(deadline: Deadline): string {
  return 'at' in deadline ? new Date(deadline.at).toISOString() : `after ${deadline.afterMs / 1_000}s`;
}

/** What a run that is started here may take of the time that is left: the earliest deadline around. */
export function deadlineOfChild({ holds }: Bridge, L: LuaState): { deadline?: ChildDeadline } {
  if (!holds('deadlines')) return {};
  const { ends, deadline = Infinity } = currentFrame(L).scope;
  if (ends !== undefined && ends.until <= deadline)
    return { deadline: ends.timer === null ? { at: ends.until } : { timer: ends.timer } };
  return deadline === Infinity ? {} : { deadline: { at: deadline } };
}

/**
 * Refuses to begin something past the deadline around. The clock is that of the log, so a replay begins what the run began.
 * @param what as WINK says it: `provider request`, `executing tool 'x'`
 * @throws TactusError deadline_exceeded
 */
export function assertInTime(bridge: Bridge, L: LuaState, what: string): void {
  const { deadline } = currentFrame(L).scope;
  if (deadline === undefined || bridge.now() < deadline) return;
  throw new TactusError(
    'deadline_exceeded',
    `DeadlineExceededError: Deadline expired before ${what}. It was ${new Date(deadline).toISOString()}`,
  );
}
