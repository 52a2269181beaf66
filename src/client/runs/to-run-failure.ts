import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { isErrorCode, TactusError } from '../../contract/errors.js';
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
  if (cause instanceof ApplicationFailure) {
    const code = typeof cause.type === 'string' && isErrorCode(cause.type) ? cause.type : 'internal';
    const [details] = cause.details ?? [];
    return new TactusError(code, cause.message, (details ?? {}) as JsonObject);
  }
  if (cause instanceof CancelledFailure)
    return new TactusError('cancelled', `The run ${runId} was cancelled`);
  if (cause instanceof TerminatedFailure)
    return new TactusError('cancelled', `The run ${runId} was terminated`);
  if (cause instanceof TimeoutFailure) return new TactusError('cancelled', `The run ${runId} has timed out`);
  return error;
}
