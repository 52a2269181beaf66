import type { HumanRequest } from '../contract/people/human-request.js';
import { linkPayload, linkText, maxLinkLength } from './link-token.js';
import { signatureOf } from './signature.js';
import type { SigningKey } from './signing-key.js';

/** What links are signed with. */
export interface LinkSigner {
  /** One whose other half those who answer links have. */
  key: SigningKey;
  /** So long a link holds at most, in ms. */
  validMs: number;
}

/** A request, as far as a link to it says. */
export type LinkedRequest = Pick<
  HumanRequest,
  'id' | 'run_id' | 'digest' | 'created_at' | 'deadline' | 'expires_at'
>;

/**
 * The token of a link by which one person answers one request as it is shown, until that has no time left, and no longer than
 * links hold. null: no time is left, or names and ids are too long for a link.
 */
export function signLink(
  request: LinkedRequest,
  { approver, namespace, at = Date.now() }: { approver: string; namespace: string; at?: number },
  { key, validMs }: LinkSigner,
): string | null {
  const { id, run_id, digest, created_at, deadline, expires_at } = request;
  const ends = [deadline, expires_at].filter((time) => typeof time === 'string');
  const issuedAt = Math.floor(at);
  const expiresAt = Math.floor(Math.min(at + validMs, ...ends.map((time) => Date.parse(time))));
  if (!(expiresAt > issuedAt)) return null;
  const payload = linkPayload({
    ...{ namespace, workflowId: run_id, request: id, digest, askedAt: created_at, approver },
    ...{ issuedAt, expiresAt },
  });
  const token = linkText({ keyId: key.id, signature: signatureOf(key, payload), payload });
  return token.length > maxLinkLength ? null : token;
}
