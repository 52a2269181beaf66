import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import {
  keyIdPattern,
  type VerificationKey,
  type VerificationKeys,
} from '../contract/authority/authority.js';
import { TactusError } from '../contract/errors.js';
import { getOwn } from '../contract/json/json.js';

/** What signs: an Ed25519 private key, or a secret for HMAC-SHA256, under the id by which workers know it. */
export interface SigningKey {
  /** Letters, digits, `_` and `-`; 64 at most. */
  id: string;
  key: KeyObject | { secret: string };
}

/** HMAC-SHA256 is no stronger than its secret. In characters. */
const shortestSecret = 32;

/**
 * A key of PEM text with an Ed25519 private key (PKCS#8).
 * @throws TactusError usage where it is none
 */
export function signingKeyOfPem(id: string, pem: string): SigningKey {
  assertId(id);
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new TactusError('usage', `The key ${id} is no private key in PEM`);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new TactusError('usage', `The key ${id} is one of ${key.asymmetricKeyType}: ed25519 is needed`);
  return { id, key };
}

/**
 * A key of a secret that workers have, too.
 * @throws TactusError usage where it is too short
 */
export function signingKeyOfSecret(id: string, secret: string): SigningKey {
  assertId(id);
  if (secret.length < shortestSecret)
    throw new TactusError('usage', `The secret of the key ${id} has fewer than ${shortestSecret} characters`);
  return { id, key: { secret } };
}

function assertId(id: string): void {
  if (!keyIdPattern.test(id))
    throw new TactusError('usage', `${JSON.stringify(id)} is no id of a key: letters, digits, _ and - are`);
}

/** A new pair of Ed25519 keys. */
export interface GeneratedKey {
  /** PKCS#8 in PEM: for whoever signs, and nobody else. */
  privatePem: string;
  /** For the configuration of workers: 32 bytes in base64url. */
  ed25519: string;
}

export function generateKey(): GeneratedKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ed25519: x ?? '',
  };
}

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
