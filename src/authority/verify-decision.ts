import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { checkToken, timeProblem, type DecidedRun, type Refused } from '../contract/authority/check-token.js';
import type { ApprovalToken } from '../contract/authority/approval-token.js';
import type { VerificationKey, VerificationKeys } from '../contract/authority/verification-key.js';
import type { Decision } from '../contract/decision.js';
import { getOwn } from '../contract/json.js';
import { shortestSecret } from './signing-key.js';

export interface VerifyingOptions extends DecidedRun {
  keys: VerificationKeys;
  /** The secret that a key of kind `hmac` names; null where there is none. */
  secretOf: (name: string) => string | null;
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
  const { keyId } = token;
  const key = getOwn(options.keys, keyId);
  const refused = (message: string): Refused => ({ outcome: 'not_allowed', message });
  if (key === undefined) return refused(`the worker that verifies decisions has no key ${keyId}`);
  if ('hmac' in key) {
    const secret = options.secretOf(key.hmac) ?? '';
    if (secret.length < shortestSecret)
      return refused(
        `the worker that verifies decisions has no ${key.hmac}, or one of fewer than ${shortestSecret} characters`,
      );
    return isMac(token, secret) ? told(token) : refused(`the token isn't signed with the key ${keyId}`);
  }
  return isSignature(token, key) ? told(token) : refused(`the token isn't signed with the key ${keyId}`);
}

function told({ claims: { approver }, keyId }: ApprovalToken): Verified {
  return { outcome: 'verified', approver, keyId };
}

function isMac({ payload, signature }: ApprovalToken, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(Buffer.from(payload, 'utf8')).digest();
  const given = Buffer.from(signature, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function isSignature(
  { payload, signature }: ApprovalToken,
  { ed25519 }: Extract<VerificationKey, { ed25519: string }>,
): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: ed25519 }, format: 'jwk' });
    return verify(null, Buffer.from(payload, 'utf8'), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
