import { readSignedArray } from '../contract/authority/approval-token.js';
import { keyIdPattern } from '../contract/authority/authority.js';
import { canonicalJson } from '../contract/json/json.js';
import type { HumanRequest } from '../contract/people/human-request.js';
import { signatureOf, signatureProblem, type Signed, type SigningKey, type Verifiers } from './signature.js';

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

/** The first thing in what is signed: a link is no decision, a decision no link, though one key signs both. */
const linkVersion = 'tactus-link-v1';

/** Longest token of a link: some programs cut longer addresses. */
const maxLinkLength = 2_000;

/** What a link says. Times are ms since 1970. */
export interface LinkClaims {
  namespace: string;
  /** Id of the run that asks. */
  workflowId: string;
  /** Id of the request, `<run>/<position>`. */
  request: string;
  /** Digest of what the request showed. */
  digest: string;
  /** When it was asked, as the request has it: a later run of the same id asks at another time. */
  askedAt: string;
  /** Who answers by it. */
  approver: string;
  issuedAt: number;
  expiresAt: number;
}

/** A link's token in its parts. */
interface LinkToken extends Signed {
  claims: LinkClaims;
}

/** What is signed: one canonical JSON array, so that no field can be taken for another. */
export function linkPayload(claims: LinkClaims): string {
  const { namespace, workflowId, request, digest, askedAt, approver, issuedAt, expiresAt } = claims;
  return canonicalJson([
    ...[linkVersion, namespace, workflowId, request, digest, askedAt, approver],
    ...[issuedAt, expiresAt],
  ]);
}

/** `<key id>.<signature>.<payload in base64url>`: nothing in it has to be escaped in an address. */
export function linkText({ keyId, signature, payload }: Signed): string {
  return `${keyId}.${signature}.${Buffer.from(payload, 'utf8').toString('base64url')}`;
}

/** The parts of a link's token; null where it is none. Whether its signature is real isn't asked here. */
export function readLink(text: string): LinkToken | null {
  if (text.length > maxLinkLength) return null;
  const [, keyId = '', signature = '', encoded = ''] = /^([^.]*)\.([\w-]+)\.([\w-]+)$/.exec(text) ?? [];
  if (!keyIdPattern.test(keyId)) return null;
  const payload = Buffer.from(encoded, 'base64url').toString('utf8');
  const claims = readClaims(payload);
  return claims === null ? null : { keyId, signature, payload, claims };
}

function readClaims(payload: string): LinkClaims | null {
  const read = readSignedArray(payload, linkVersion);
  if (read === null) return null;
  const [namespace, workflowId, request, digest, askedAt, approver] = read.texts;
  const [issuedAt, expiresAt] = read.times;
  return { namespace, workflowId, request, digest, askedAt, approver, issuedAt, expiresAt };
}

/** What a link says, or why it says nothing. Whether its time is over, its claims tell. */
type VerifiedLink = { claims: LinkClaims; keyId: string } | { problem: string };

/** Whether a text is the token of a link that was signed with a key that is known. */
export function verifyLink(text: string, verifiers: Verifiers): VerifiedLink {
  const token = readLink(text);
  if (token === null) return { problem: 'it is none, or was cut' };
  const problem = signatureProblem(token, verifiers, 'the server');
  if (problem !== null) return { problem };
  const { claims, keyId } = token;
  return { claims, keyId };
}
