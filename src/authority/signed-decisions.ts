import {
  checkToken,
  decidedDigest,
  maxTokenLength,
  timeProblem,
  tokenPayload,
  tokenText,
  type ApprovalClaims,
  type DecidedRun,
  type Refused,
} from '../contract/authority/approval-token.js';
import type { Decision } from '../contract/people/decision.js';
import { TactusError } from '../contract/errors.js';
import { signatureOf, signatureProblem, type SigningKey, type Verifiers } from './signature.js';

export interface SigningOptions {
  /** Of the run. */
  namespace: string;
  key: SigningKey;
  /** So long the token holds, in ms; left out: ten minutes. */
  validMs?: number;
  /** When it is made, in ms since 1970; left out: now. */
  at?: number;
}

const usualMs = 600_000;

/**
 * A decision with its token: for this request as it was shown (`digest`), this value or action, this comment, this person
 * (`by`), and for a time. Whoever calls it has made sure who the person is.
 * @throws TactusError usage where `by` or `digest` is missing, or the request is none
 */
export function signDecision(decision: Decision, options: SigningOptions): Decision & { token: string } {
  const { namespace, key, validMs = usualMs, at = Date.now() } = options;
  const { request, digest = '', by = '' } = decision;
  const workflowId = request.slice(0, Math.max(0, request.lastIndexOf('/')));
  if (workflowId === '')
    throw new TactusError('usage', `${JSON.stringify(request)} is no id of a request: RUN/3`);
  if (by === '') throw new TactusError('usage', 'A decision that is signed says who decides: by');
  if (digest === '')
    throw new TactusError('usage', 'A decision that is signed names what the person saw: digest');
  if (!(validMs > 0)) throw new TactusError('usage', 'validMs must be a number of ms above 0');
  const times = { issuedAt: Math.floor(at), expiresAt: Math.ceil(at + validMs) };
  const payload = tokenPayload({
    ...{ namespace, workflowId, request, digest, decided: decidedDigest(decision), approver: by },
    ...times,
  } satisfies ApprovalClaims);
  const token = tokenText(key.id, signatureOf(key, payload), payload);
  if (token.length > maxTokenLength)
    throw new TactusError('usage', `The token has more than ${maxTokenLength} characters`);
  return { ...decision, token };
}

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
