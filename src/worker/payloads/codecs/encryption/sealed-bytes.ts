import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Length of keys in bytes: those of AES-256. */
export const keyBytes = 32;

const algorithm = 'aes-256-gcm';
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts by AES-256-GCM. Each text has a random salt, by which it gets a key of its own, and a random nonce. With one key for all, nonces would
 * begin to meet after some 2^32 texts, and two texts under one nonce give each other away.
 * @param bound what can't be changed unseen, though it isn't in the bytes
 * @returns salt, nonce, encrypted text, tag
 */
export function seal(key: Buffer, text: Uint8Array, bound: Buffer): Buffer {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOfText(key, salt), nonce, { authTagLength: tagBytes });
  cipher.setAAD(bound);
  return Buffer.concat([salt, nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** @returns null where the bytes are damaged, are bound to something else, or belong to another key */
export function unseal(key: Buffer, sealed: Buffer, bound: Buffer): Buffer | null {
  if (sealed.length < saltBytes + nonceBytes + tagBytes) return null;
  const salt = sealed.subarray(0, saltBytes);
  const nonce = sealed.subarray(saltBytes, saltBytes + nonceBytes);
  const decipher = createDecipheriv(algorithm, keyOfText(key, salt), nonce, { authTagLength: tagBytes });
  decipher.setAAD(bound);
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(saltBytes + nonceBytes, -tagBytes)),
      decipher.final(),
    ]);
  } catch {
    return null;
  }
}

function keyOfText(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, 'tactus-temporal/payload/1', keyBytes));
}
