import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as pause } from 'node:timers/promises';
import { decisionOutcomes, type Decision, type Verdict } from '../../contract/people/decision.js';

/** The verdict of a decision that the run refused. @throws whatever else went wrong */
export function decisionOutcome(error: unknown, decision: Decision): Verdict {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
  const type = cause instanceof ApplicationFailure ? cause.type : null;
  const outcome = decisionOutcomes.find((each) => each === type);
  if (outcome === undefined) throw error;
  return { id: decision.request, outcome, message: cause?.message ?? '' };
}

const firstPauseMs = 50;
const longestPauseMs = 1_000;
const patienceMs = 60_000;

/** Asks what has become of a signed decision until it is known; gives `verifying` where that takes too long. */
export async function pollUntilVerified(
  verifying: Verdict,
  ask: () => Promise<Verdict | null>,
): Promise<Verdict> {
  const end = Date.now() + patienceMs;
  for (let pauseMs = firstPauseMs; Date.now() < end; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const verdict = await ask();
    if (verdict !== null) return verdict;
    await pause(pauseMs);
  }
  return verifying;
}
