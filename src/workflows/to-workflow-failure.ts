import { ApplicationFailure } from '@temporalio/workflow';
import { TactusError } from '../contract/errors.js';

/**
 * What a run ends with. Only an error of ours ends one: any other is a fault in this code, and is left as it is, so that
 * it fails the workflow task, which Temporal tries again until the next deploy has mended it.
 */
export function toWorkflowFailure(error: unknown): unknown {
  if (!(error instanceof TactusError)) return error;
  return ApplicationFailure.nonRetryable(error.message, error.code, error.details);
}
