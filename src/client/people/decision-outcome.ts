import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as pause } from 'node:timers/promises';
import { canonicalJson } from '../../contract/json/json.js';
import { decisionOutcomes, type Decision, type Verdict } from '../../contract/people/decision.js';
import type { HumanAnswer } from '../../contract/people/human-request.js';
import type { LogEntryView } from '../../contract/runs/run-view.js';

/** The verdict of a decision that the run refused. @throws whatever else went wrong */
export function decisionOutcome(error: unknown, decision: Decision): Verdict {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
  const type = cause instanceof ApplicationFailure ? cause.type : null;
  const outcome = decisionOutcomes.find((each) => each === type);
  if (outcome === undefined) throw error;
  return { id: decision.request, outcome, message: cause?.message ?? '' };
}

/** What a decision comes to when its run has closed, or when there is none. @param answered what the log has of its request; null: nothing */
export function closedVerdict(
  runId: string,
  { request: id, value, action }: Decision,
  answered: LogEntryView | null,
): Verdict {
  if (answered === null)
    return { id, outcome: 'unknown', message: `There is no open run ${runId} that asks this` };
  const answer = answered.result as Partial<HumanAnswer> | null;
  const isSame =
    action === undefined
      ? answer?.value !== undefined && canonicalJson(answer.value) === canonicalJson(value)
      : action === 'withdraw' && answer?.withdrawn === true;
  return isSame
    ? { id, outcome: 'duplicate', message: 'it was answered so before, and the run has ended' }
    : { id, outcome: 'late', message: 'it was answered before, and the run has ended' };
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
