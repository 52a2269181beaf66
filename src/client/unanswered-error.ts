import { QueryNotRegisteredError } from '@temporalio/client';
import { TactusError } from '../contract/errors.js';
import { grpcErrorOf } from './grpc-error.js';

/** What the server says where a workflow task of the run has failed several times in a row. */
const failedTask = 'Workflow Task in failed state';
const neverSeen = 'closed before WorkflowTaskStarted';

/** Why a run doesn't answer although a worker is there, in words of ours; null where it is something else. */
export function unansweredError(error: unknown, runId: string): TactusError | null {
  if (grpcErrorOf(error)?.details.includes(failedTask) === true)
    return new TactusError(
      'run_stuck',
      `The run ${runId} is stuck: its workflow task fails again and again. On what: tactus-temporal status ${runId}`,
      { run_id: runId },
    );
  // The SDK gives every question that failed in the worker this name.
  if (!(error instanceof QueryNotRegisteredError) || error.message.includes(neverSeen)) return null;
  const message = `The worker can't replay the run ${runId}: ${error.message}. A worker with the code that fits the run can`;
  return new TactusError('internal', message, { run_id: runId });
}
