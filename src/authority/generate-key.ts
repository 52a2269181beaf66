import { generateKeyPairSync } from 'node:crypto';

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
