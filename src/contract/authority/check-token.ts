import type { Decision } from '../people/decision.js';
import { quoteText } from '../people/ledger/quote-text.js';
import { decidedDigest, readToken, type ApprovalClaims, type ApprovalToken } from './approval-token.js';

/** Clocks of those who sign and those who verify may differ by so much, in ms. */
export const clockSkewMs = 300_000;

/** Where a decision has arrived. */
export interface DecidedRun {
  namespace: string;
  runId: string;
}

export interface Refused {
  outcome: 'not_allowed' | 'invalid';
  message: string;
}

/**
 * Whether a decision brings a token that was made for it: all but the signature and the time, so that it can be asked in a
 * workflow.
 */
export function checkToken(decision: Decision, { namespace, runId }: DecidedRun): ApprovalToken | Refused {
  if (decision.token === undefined)
    return notAllowed('this run takes signed decisions alone, and this one has no token');
  const token = readToken(decision.token);
  if (token === null) return { outcome: 'invalid', message: 'the token of the decision is none, or was cut' };
  const { claims } = token;
  if (claims.namespace !== namespace)
    return notAllowed(`the token was made for another namespace, ${quoteText(claims.namespace)}`);
  if (claims.workflowId !== runId)
    return notAllowed(`the token was made for another run, ${quoteText(claims.workflowId)}`);
  if (claims.request !== decision.request)
    return notAllowed(`the token was made for another request, ${quoteText(claims.request)}`);
  if (decision.digest !== undefined && decision.digest !== claims.digest)
    return notAllowed('the token was made for another text than the decision names: another digest');
  if (claims.decided !== decidedDigest(decision))
    return notAllowed('the token was made for another value, comment or action than the decision has');
  if (decision.by !== undefined && decision.by !== claims.approver)
    return notAllowed(
      `the token is one of ${quoteText(claims.approver)}, the decision names ${quoteText(decision.by)}`,
    );
  return token;
}

/** Why a token doesn't hold at a time, in ms since 1970; null where it does. */
export function timeProblem({ issuedAt, expiresAt }: ApprovalClaims, at: number): Refused | null {
  const time = (ms: number): string => (Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : String(ms));
  if (expiresAt <= issuedAt) return notAllowed('the token expires before it was made');
  if (at > expiresAt + clockSkewMs) return notAllowed(`the token expired at ${time(expiresAt)}`);
  if (at < issuedAt - clockSkewMs)
    return notAllowed(`the token was made at ${time(issuedAt)}, which is yet to come: look at the clocks`);
  return null;
}

function notAllowed(message: string): Refused {
  return { outcome: 'not_allowed', message };
}
