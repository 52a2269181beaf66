import type { LinkClaims } from '../../../authority/signed-links.js';
import type { OpenNamespace } from '../../namespaces.js';
import type { LinkKeys } from './link-of.js';

/** A link that holds. */
export interface OpenedLink {
  claims: LinkClaims;
  namespace: OpenNamespace;
  keys: LinkKeys;
}
