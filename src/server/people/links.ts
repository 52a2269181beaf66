import type { SigningKey, Verifiers } from '../../authority/signature.js';
import { type LinkClaims, verifyLink } from '../../authority/signed-links.js';
import { TactusError } from '../../contract/errors.js';
import type { OpenNamespace } from '../namespaces.js';

/** What a server needs to take answers by links. */
export interface LinkKeys extends Verifiers {
  /** Signs what they decide. */
  key: SigningKey;
}

/**
 * The claims of the link that a request shows in its header `Authorization: Link TOKEN`. It never stands in an address: what
 * writes addresses down, on the way or here, would have it.
 * @throws TactusError unauthenticated
 */
export function linkOf(header: string | undefined, keys: LinkKeys): LinkClaims {
  const [, token] = /^Link +([^\s]+)$/i.exec(header ?? '') ?? [];
  if (token === undefined)
    throw new TactusError('unauthenticated', 'A link is needed: Authorization: Link TOKEN');
  const verified = verifyLink(token, keys);
  if ('problem' in verified)
    throw new TactusError('unauthenticated', `The link is not valid: ${verified.problem}`);
  return verified.claims;
}

/** A link that holds. */
export interface OpenedLink {
  claims: LinkClaims;
  namespace: OpenNamespace;
  keys: LinkKeys;
}
