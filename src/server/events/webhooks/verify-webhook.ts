import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { TactusError } from '../../../contract/errors.js';

/** A message as it arrived. */
export interface WebhookMessage {
  header: (name: string) => string | undefined;
  body: Buffer;
}

/**
 * How a sender signs. `standard`: as Standard Webhooks have it, over id, time and body. `body`: over the body alone, in
 * hexadecimal or base64, in a header of its own, with `sha256=` before it or not.
 */
export type WebhookScheme = { scheme: 'standard' } | { scheme: 'body'; header: string };

/** A message may be so old, or from a clock so far ahead. */
export const toleranceSeconds = 300;
/** A message carries a signature for each key, while keys are changed. */
const mostSignatures = 10;

/** What `webhook-id` and `webhook-timestamp` say. */
interface Stamp {
  id: string;
  timestamp: string;
}

/**
 * Checks what can be seen before the body is read: the message says how it is signed, and is not old.
 * @throws TactusError unauthenticated
 */
export function expectSigned(
  scheme: WebhookScheme,
  header: WebhookMessage['header'],
  now = Date.now(),
): void {
  if (scheme.scheme === 'standard') stampOf(header, now);
  if (signaturesOf(scheme, header).length === 0) throw refused(scheme);
}

/**
 * Whether the message is of who has the key. The sender's id of it, as far as that is signed: else a digest of the body.
 * @throws TactusError unauthenticated
 */
export function verifyWebhook(
  scheme: WebhookScheme,
  key: Buffer,
  { header, body }: WebhookMessage,
  now = Date.now(),
): string {
  const stamp = scheme.scheme === 'standard' ? stampOf(header, now) : null;
  const signed = createHmac('sha256', key);
  if (stamp !== null) signed.update(`${stamp.id}.${stamp.timestamp}.`);
  const expected = signed.update(body).digest();
  const isSigned = signaturesOf(scheme, header).some(
    (given) => given.length === expected.length && timingSafeEqual(given, expected),
  );
  if (!isSigned) throw refused(scheme);
  // An id in a header that isn't signed: whoever has seen the message could send it again under another one.
  return stamp?.id ?? createHash('sha256').update(body).digest('hex');
}

function stampOf(header: WebhookMessage['header'], now: number): Stamp {
  const id = header('webhook-id') ?? '';
  const timestamp = header('webhook-timestamp') ?? '';
  if (id === '' || id.length > 500 || !/^\d{1,12}$/.test(timestamp))
    throw new TactusError('unauthenticated', 'webhook-id and webhook-timestamp are needed');
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new TactusError('unauthenticated', `webhook-timestamp is more than ${toleranceSeconds} s from now`);
  return { id, timestamp };
}

/** The signatures that the headers have; empty where none could be one. */
function signaturesOf(scheme: WebhookScheme, header: WebhookMessage['header']): Buffer[] {
  const given = header(signatureHeader(scheme)) ?? '';
  if (scheme.scheme === 'standard')
    return given
      .split(' ')
      .slice(0, mostSignatures)
      .filter((each) => each.startsWith('v1,'))
      .map((each) => Buffer.from(each.slice('v1,'.length), 'base64'));
  const text = given.replace(/^sha256=/, '');
  return text === '' ? [] : [Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')];
}

function signatureHeader(scheme: WebhookScheme): string {
  return scheme.scheme === 'standard' ? 'webhook-signature' : scheme.header;
}

function refused(scheme: WebhookScheme): TactusError {
  return new TactusError('unauthenticated', `${signatureHeader(scheme)} is not of this secret`);
}
