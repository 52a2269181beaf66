import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Decision, DecisionOutcome, Verdict } from '../contract/decision.js';

const outcomes: readonly string[] = [
  'accepted',
  'duplicate',
  'late',
  'early',
  'not_allowed',
  'invalid',
  'unknown',
];

/** The verdict of a decision that the run refused. @throws whatever else went wrong */
export function decisionOutcome(error: unknown, decision: Decision): Verdict {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
  if (cause instanceof ApplicationFailure && typeof cause.type === 'string' && outcomes.includes(cause.type))
    return { id: decision.request, outcome: cause.type as DecisionOutcome, message: cause.message };
  throw error;
}
