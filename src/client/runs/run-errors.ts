import {
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { hasCode, isErrorCode, TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';

/** The server's words about one that it still keeps. */
const toldOfEnded = 'workflow execution already completed';

/** Errors of Temporal as ours; what is none of a run's ends passes as it is. */
export function toRunFailure(error: unknown, runId: string): unknown {
  if (error instanceof WorkflowNotFoundError) {
    const why = error.message === toldOfEnded ? `The run ${runId} has ended` : `There is no run ${runId}`;
    return new TactusError('run_not_found', why);
  }
  if (!(error instanceof WorkflowFailedError)) return error;
  const { cause } = error;
  if (cause instanceof ApplicationFailure) return failureOf(cause);
  if (cause instanceof CancelledFailure)
    return new TactusError('cancelled', `The run ${runId} was cancelled`);
  if (cause instanceof TerminatedFailure)
    return new TactusError('cancelled', `The run ${runId} was terminated`);
  if (cause instanceof TimeoutFailure) return new TactusError('cancelled', `The run ${runId} has timed out`);
  return error;
}

/** What a workflow of ours failed with, or refused. */
export function failureOf({ type, message, details }: ApplicationFailure): TactusError {
  const code = typeof type === 'string' && isErrorCode(type) ? type : 'internal';
  return new TactusError(code, message, (details?.[0] ?? {}) as JsonObject);
}

/** The server's word on a question to a run that closed before any worker saw it. */
const neverSeen = 'closed before WorkflowTaskStarted';

/** That the worker couldn't replay a run to answer for it; null where it is something else. */
export function replayError(error: unknown, runId: string): TactusError | null {
  // The SDK gives every question that failed in the worker this name.
  if (!(error instanceof QueryNotRegisteredError) || error.message.includes(neverSeen)) return null;
  const message = `The worker can't replay the run ${runId}: ${faultText(error.message)}. A worker of the version that the run began with, or a newer one, can`;
  return new TactusError('internal', message, { run_id: runId });
}

const cancelled = 1;
const deadlineExceeded = 4;
const failedPrecondition = 9;

/** Whether an error says that no worker answered a question in its time, or that there is none. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  const refusal = grpcErrorOf(error);
  if (refusal === null) return false;
  const { code, details } = refusal;
  if (code === deadlineExceeded || code === cancelled) return true;
  return code === failedPrecondition && /poller|worker/i.test(details);
}

/** The server's own error (gRPC code and details) in what the SDK threw; null where it is something else. */
export function grpcErrorOf(error: unknown): { code: number; details: string; message: string } | null {
  // The error of a worker's own connection is both: by its name it is the one of clients, which have the server's as their cause.
  if (isGrpcServiceError(error)) return error;
  const cause = error instanceof ServiceError ? error.cause : null;
  return isGrpcServiceError(cause) ? cause : null;
}

const notFound = 5;

/** For a call of the server about what may be gone: null where it isn't there. @throws whatever else it failed with */
export function ifThere(error: unknown): null {
  if (grpcErrorOf(error)?.code === notFound) return null;
  throw error;
}

const temporalMark = /^\[TMPRL\d+\] (?:Nondeterminism error: )?/;
const nonDeterminism = /TMPRL1100|nondeterminism/i;

/**
 * What a worker says that can't do a run's workflow task, in words of ours: Temporal's own begin with a mark, as in
 * `[TMPRL1100] Nondeterminism error: …`, and tell of commands.
 */
export function faultText(message: string): string {
  const plain = message.replace(temporalMark, '');
  return nonDeterminism.test(message) ? `its history doesn't fit the code of the worker (${plain})` : plain;
}

/** Nobody answers: the next run would be asked in vain as well. */
export function isOutOfReach(error: unknown): boolean {
  return hasCode(error, 'no_worker') || hasCode(error, 'server_unreachable');
}
