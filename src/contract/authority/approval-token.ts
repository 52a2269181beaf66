import { digestOf } from '../effects/digest.js';
import type { Decision } from '../people/decision.js';
import { canonicalJson } from '../json/json.js';
import { readSignedArray } from './signed-array.js';
import { keyIdPattern } from './verification-key.js';

/** The first thing in each token: what is signed for another purpose, or by other rules, is none. */
export const tokenVersion = 'tactus-approval-v1';

/** Longest token in UTF-16 units: ids and names have bounds of their own. */
export const maxTokenLength = 8_000;

/** What a token says. Times are ms since 1970. */
export interface ApprovalClaims {
  namespace: string;
  /** Id of the run that asks. */
  workflowId: string;
  /** Id of the request, `<run>/<position>`. */
  request: string;
  /** Digest of what the request showed. */
  digest: string;
  /** Of what is done, and the comment: see `decidedDigest`. */
  decided: string;
  /** Who decides. */
  approver: string;
  issuedAt: number;
  expiresAt: number;
}

/** A token in its parts; `payload` is what is signed, to the letter. */
export interface ApprovalToken {
  keyId: string;
  /** In base64url. */
  signature: string;
  payload: string;
  claims: ApprovalClaims;
}

/** What is decided, as a token has it: an answer can't become a withdrawal on the way, nor its comment another. */
export function decidedDigest({ value, comment, action, to }: Decision): string {
  return digestOf([value, comment ?? null, action ?? null, to ?? null]);
}

/** What is signed: one canonical JSON array, so that no field can be taken for another. */
export function tokenPayload(claims: ApprovalClaims): string {
  const { namespace, workflowId, request, digest, decided, approver, issuedAt, expiresAt } = claims;
  return canonicalJson([
    ...[tokenVersion, namespace, workflowId, request, digest, decided, approver],
    ...[issuedAt, expiresAt],
  ]);
}

/** `<key id>.<signature>.<payload>`: a workflow can read it, which has no base64. */
export function tokenText(keyId: string, signature: string, payload: string): string {
  return `${keyId}.${signature}.${payload}`;
}

/** The parts of a token; null where it is none. Whether its signature is real isn't asked here. */
export function readToken(text: string): ApprovalToken | null {
  if (text.length > maxTokenLength) return null;
  const [, keyId = '', signature = '', payload = ''] = /^([^.]*)\.([\w-]*)\.(.*)$/s.exec(text) ?? [];
  if (!keyIdPattern.test(keyId) || signature === '') return null;
  const claims = readClaims(payload);
  return claims === null ? null : { keyId, signature, payload, claims };
}

function readClaims(payload: string): ApprovalClaims | null {
  const read = readSignedArray(payload, tokenVersion);
  if (read === null) return null;
  const [namespace, workflowId, request, digest, decided, approver] = read.texts;
  const [issuedAt, expiresAt] = read.times;
  return { namespace, workflowId, request, digest, decided, approver, issuedAt, expiresAt };
}
