import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { CallUsage } from '../../contract/models/model-call.js';
import { heldType, readHold, type Hold } from '../../contract/changes/hold.js';
import { isErrorCode, TactusError, type ErrorCode } from '../../contract/errors.js';

/** How an effect that failed looks in the log and to Lua: the innermost cause, with its code where it has one of ours. */
export function failedOutcome(error: unknown, fallback: ErrorCode): Outcome {
  if (error instanceof TactusError) return { ok: false, code: error.code, message: error.message };
  const cause = causeOf(error);
  if (cause instanceof ApplicationFailure) {
    const code =
      cause.type !== undefined && cause.type !== null && isErrorCode(cause.type) ? cause.type : fallback;
    return { ok: false, code, message: cause.message };
  }
  if (cause instanceof TimeoutFailure)
    return { ok: false, code: fallback, message: `no answer in time (${cause.timeoutType})` };
  return { ok: false, code: fallback, message: cause instanceof Error ? cause.message : String(cause) };
}

/**
 * The same of a call of a tool. Of one that may be done once alone nobody knows whether it was, where its end is no word of
 * ours: its worker is gone, is shutting down, or was told to leave the activity.
 */
export function toolOutcome(error: unknown, isOnce: boolean): Outcome {
  const cause = causeOf(error);
  const isKnown = cause instanceof ApplicationFailure && isErrorCode(cause.type ?? '');
  const outcome = failedOutcome(error, 'tool_failed');
  if (outcome.ok || isKnown || !isOnce) return outcome;
  return {
    ...outcome,
    code: 'outcome_unknown',
    message: `the worker that called it said no more: ${outcome.message}`,
  };
}

/** The hold that a call waits for, and what attempts before have cost in vain; null: it has failed. */
export function heldBy(error: unknown): { hold: Hold; spent: CallUsage | null } | null {
  const cause = causeOf(error);
  if (!(cause instanceof ApplicationFailure) || cause.type !== heldType) return null;
  const [given] = cause.details ?? [];
  const { hold: told, spent = null } = (given ?? {}) as { hold?: unknown; spent?: CallUsage };
  const hold = readHold(told);
  return hold === null ? null : { hold, spent };
}

function causeOf(error: unknown): unknown {
  const isWrapper = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure;
  return isWrapper && error.cause instanceof TemporalFailure ? causeOf(error.cause) : error;
}

/** @throws TypeError for an outcome that is no failure: a fault in this code */
export function toError(outcome: Outcome): TactusError {
  if (outcome.ok) throw new TypeError('what went well is no error');
  return new TactusError(outcome.code, outcome.message);
}
