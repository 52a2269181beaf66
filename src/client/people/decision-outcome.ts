import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decisionOutcomes, type Decision, type Verdict } from '../../contract/people/decision.js';

/** The verdict of a decision that the run refused. @throws whatever else went wrong */
export function decisionOutcome(error: unknown, decision: Decision): Verdict {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
  const type = cause instanceof ApplicationFailure ? cause.type : null;
  const outcome = decisionOutcomes.find((each) => each === type);
  if (outcome === undefined) throw error;
  return { id: decision.request, outcome, message: cause?.message ?? '' };
}
