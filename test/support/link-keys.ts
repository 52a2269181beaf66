import { generateKey, signingKeyOfPem, type SigningKey } from '../../src/authority/signature.js';
import type { VerificationKeys } from '../../src/contract/authority/authority.js';
import type { LinkKeys } from '../../src/server/people/links.js';

export interface TestKeys {
  key: SigningKey;
  keys: VerificationKeys;
  /** For a server. */
  links: LinkKeys;
}

/** A pair of keys, as workers and a server have them. */
export function linkKeys(id = 'k1'): TestKeys {
  const { privatePem, ed25519 } = generateKey();
  const key = signingKeyOfPem(id, privatePem);
  const keys = { [id]: { ed25519 } };
  return { key, keys, links: { key, keys, secretOf: () => null } };
}
