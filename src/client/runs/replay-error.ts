import { QueryNotRegisteredError } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import { faultText } from '../server/fault-text.js';

/** The server's word on a question to a run that closed before any worker saw it. */
const neverSeen = 'closed before WorkflowTaskStarted';

/** That the worker couldn't replay a run to answer for it; null where it is something else. */
export function replayError(error: unknown, runId: string): TactusError | null {
  // The SDK gives every question that failed in the worker this name.
  if (!(error instanceof QueryNotRegisteredError) || error.message.includes(neverSeen)) return null;
  const message = `The worker can't replay the run ${runId}: ${faultText(error.message)}. A worker of the version that the run began with, or a newer one, can`;
  return new TactusError('internal', message, { run_id: runId });
}
