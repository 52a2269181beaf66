import { digestOf } from '../effects/digest.js';
import type { Decision } from '../people/decision.js';
import { canonicalJson } from '../json/json.js';
import { keyIdPattern } from './authority.js';
import { quoteText } from '../text/plain-text.js';

/** The first thing in each token: what is signed for another purpose, or by other rules, is none. */
const tokenVersion = 'tactus-approval-v1';

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

/** Clocks of those who sign and those who verify may differ by so much, in ms. */
const clockSkewMs = 300_000;

/** Where a decision has arrived. */
export interface DecidedRun {
  namespace: string;
  runId: string;
}

export interface Refused {
  outcome: 'not_allowed' | 'invalid';
  message: string;
}

/**
 * Whether a decision brings a token that was made for it: all but the signature and the time, so that it can be asked in a
 * workflow.
 */
export function checkToken(decision: Decision, { namespace, runId }: DecidedRun): ApprovalToken | Refused {
  if (decision.token === undefined)
    return notAllowed('this run takes signed decisions alone, and this one has no token');
  const token = readToken(decision.token);
  if (token === null) return { outcome: 'invalid', message: 'the token of the decision is none, or was cut' };
  const { claims } = token;
  if (claims.namespace !== namespace)
    return notAllowed(`the token was made for another namespace, ${quoteText(claims.namespace)}`);
  if (claims.workflowId !== runId)
    return notAllowed(`the token was made for another run, ${quoteText(claims.workflowId)}`);
  if (claims.request !== decision.request)
    return notAllowed(`the token was made for another request, ${quoteText(claims.request)}`);
  if (decision.digest !== undefined && decision.digest !== claims.digest)
    return notAllowed('the token was made for another text than the decision names: another digest');
  if (claims.decided !== decidedDigest(decision))
    return notAllowed('the token was made for another value, comment or action than the decision has');
  if (decision.by !== undefined && decision.by !== claims.approver)
    return notAllowed(
      `the token is one of ${quoteText(claims.approver)}, the decision names ${quoteText(decision.by)}`,
    );
  return token;
}

/** Why a token doesn't hold at a time, in ms since 1970; null where it does. */
export function timeProblem({ issuedAt, expiresAt }: ApprovalClaims, at: number): Refused | null {
  const time = (ms: number): string => (Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : String(ms));
  if (expiresAt <= issuedAt) return notAllowed('the token expires before it was made');
  if (at > expiresAt + clockSkewMs) return notAllowed(`the token expired at ${time(expiresAt)}`);
  if (at < issuedAt - clockSkewMs)
    return notAllowed(`the token was made at ${time(issuedAt)}, which is yet to come: look at the clocks`);
  return null;
}

function notAllowed(message: string): Refused {
  return { outcome: 'not_allowed', message };
}

/** What tokens are made of: a canonical JSON array of their version, six texts and two times in ms since 1970. */
interface SignedArray {
  texts: [string, string, string, string, string, string];
  times: [issuedAt: number, expiresAt: number];
}

const length = 9;

/** The parts of such an array; null where a text is none of this version. */
export function readSignedArray(payload: string, version: string): SignedArray | null {
  let given: unknown;
  try {
    given = JSON.parse(payload);
  } catch {
    return null;
  }
  if (!Array.isArray(given) || given.length !== length || given[0] !== version) return null;
  const texts = given.slice(1, 7) as unknown[];
  const times = given.slice(7) as unknown[];
  if (!texts.every((text) => typeof text === 'string' && text !== '')) return null;
  if (!times.every((time) => Number.isSafeInteger(time))) return null;
  return { texts, times } as SignedArray;
}
