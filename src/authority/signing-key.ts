import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { TactusError } from '../contract/errors.js';
import { keyIdPattern } from '../contract/authority/authority.js';

/** What signs: an Ed25519 private key, or a secret for HMAC-SHA256, under the id by which workers know it. */
export interface SigningKey {
  /** Letters, digits, `_` and `-`; 64 at most. */
  id: string;
  key: KeyObject | { secret: string };
}

/** HMAC-SHA256 is no stronger than its secret. In characters. */
export const shortestSecret = 32;

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
