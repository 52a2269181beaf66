import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import type { TellPeopleFailure } from '../../contract/people/channels/tell-people.js';
import type { Undelivered } from '../../contract/people/ledger.js';
import { plainText } from '../../contract/text/plain-text.js';
import { failedOutcome } from '../effects/outcome.js';

const longestProblem = 300;

/** What a message that could not be sent tells of itself. Of a worker that died meanwhile, who had been told by its last word. */
export function undeliveredBy(error: unknown): Undelivered {
  const outcome = failedOutcome(error, 'delivery_failed');
  const problem = outcome.ok ? '' : plainText(outcome.message).slice(0, longestProblem);
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof ApplicationFailure) return { problem, ...detailsOf(cause.details?.[0]) };
  if (cause instanceof TimeoutFailure) return { problem, ...detailsOf(cause.lastHeartbeatDetails) };
  return { problem };
}

function detailsOf(given: unknown): TellPeopleFailure {
  if (typeof given !== 'object' || given === null) return {};
  const { told, alone, retryAfterMs } = given as TellPeopleFailure;
  return {
    ...(Array.isArray(told) ? { told } : {}),
    ...(alone === true ? { alone } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  };
}
