import { createHmac, createPublicKey, sign, timingSafeEqual, verify } from 'node:crypto';
import type { VerificationKey, VerificationKeys } from '../contract/authority/authority.js';
import { getOwn } from '../contract/json/json.js';
import { shortestSecret, type SigningKey } from './signing-key.js';

/** What verifies: keys, and the secrets that they name. */
export interface Verifiers {
  keys: VerificationKeys;
  /** The secret that a key of kind `hmac` names; null where there is none. */
  secretOf: (name: string) => string | null;
}

/** What was signed, by which key; the signature in base64url. */
export interface Signed {
  keyId: string;
  signature: string;
  payload: string;
}

/** The signature of a text, in base64url. */
export function signatureOf({ key }: SigningKey, payload: string): string {
  const bytes = Buffer.from(payload, 'utf8');
  return 'secret' in key
    ? createHmac('sha256', key.secret).update(bytes).digest('base64url')
    : sign(null, bytes, key).toString('base64url');
}

/** Why a signature isn't real, or can't be looked at; null where it is real. `who` looks at it. */
export function signatureProblem(signed: Signed, { keys, secretOf }: Verifiers, who: string): string | null {
  const { keyId } = signed;
  const key = getOwn(keys, keyId);
  if (key === undefined) return `${who} has no key ${keyId}`;
  const wrong = `the token isn't signed with the key ${keyId}`;
  if (!('hmac' in key)) return isSignature(signed, key) ? null : wrong;
  const secret = secretOf(key.hmac) ?? '';
  if (secret.length < shortestSecret)
    return `${who} has no ${key.hmac}, or one of fewer than ${shortestSecret} characters`;
  return isMac(signed, secret) ? null : wrong;
}

function isMac({ payload, signature }: Signed, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(Buffer.from(payload, 'utf8')).digest();
  const given = Buffer.from(signature, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function isSignature(
  { payload, signature }: Signed,
  { ed25519 }: Extract<VerificationKey, { ed25519: string }>,
): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: ed25519 }, format: 'jwk' });
    return verify(null, Buffer.from(payload, 'utf8'), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
