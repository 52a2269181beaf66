import {
  checkToken,
  timeProblem,
  type DecidedRun,
  type Refused,
} from '../contract/authority/approval-token.js';
import type { Decision } from '../contract/people/decision.js';
import { signatureProblem, type Verifiers } from './signature.js';

export interface VerifyingOptions extends DecidedRun, Verifiers {
  /** When the decision arrived, in ms since 1970. */
  at: number;
}

/** A decision that is real, or why it isn't. */
export type Verified = { outcome: 'verified'; approver: string; keyId: string } | Refused;

/** Whether a decision's token was made for it, holds at the time, and is signed with a key that is known. */
export function verifyDecision(decision: Decision, options: VerifyingOptions): Verified {
  const token = checkToken(decision, options);
  if ('outcome' in token) return token;
  const late = timeProblem(token.claims, options.at);
  if (late !== null) return late;
  const problem = signatureProblem(token, options, 'the worker that verifies decisions');
  return problem === null
    ? { outcome: 'verified', approver: token.claims.approver, keyId: token.keyId }
    : { outcome: 'not_allowed', message: problem };
}
