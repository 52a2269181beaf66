import { canonicalJson } from '../contract/json/json.js';
import { readSignedArray } from '../contract/authority/approval-token.js';
import { keyIdPattern } from '../contract/authority/authority.js';
import type { Signed } from './signature.js';

/** The first thing in what is signed: a link is no decision, a decision no link, though one key signs both. */
export const linkVersion = 'tactus-link-v1';

/** Longest token of a link: some programs cut longer addresses. */
export const maxLinkLength = 2_000;

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
export interface LinkToken extends Signed {
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
