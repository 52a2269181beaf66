import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';

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
const toleranceSeconds = 300;

/**
 * Whether the message is of who has the secret. The sender's id of it, as far as that is signed: else a digest of the body.
 * @throws TactusError unauthenticated
 */
export function verifyWebhook(
  scheme: WebhookScheme,
  secret: string,
  message: WebhookMessage,
  now = Date.now(),
): string {
  return scheme.scheme === 'standard'
    ? verifyStandard(secret, message, now)
    : verifyBody(scheme.header, secret, message);
}

function verifyStandard(secret: string, { header, body }: WebhookMessage, now: number): string {
  const id = header('webhook-id') ?? '';
  const timestamp = header('webhook-timestamp') ?? '';
  if (id === '' || id.length > 500 || !/^\d{1,12}$/.test(timestamp))
    throw refused('webhook-id and webhook-timestamp are needed');
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw refused(`webhook-timestamp is more than ${toleranceSeconds} s from now`);
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const signatures = (header('webhook-signature') ?? '').split(' ').slice(0, 10);
  const isSigned = signatures.some(
    (each) => each.startsWith('v1,') && isSame(Buffer.from(each.slice('v1,'.length), 'base64'), expected),
  );
  if (!isSigned) throw refused('webhook-signature is not of this secret');
  return id;
}

function verifyBody(name: string, secret: string, { header, body }: WebhookMessage): string {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = (header(name) ?? '').replace(/^sha256=/, '');
  const bytes = Buffer.from(given, /^[0-9a-f]{64}$/i.test(given) ? 'hex' : 'base64');
  if (!isSame(bytes, expected)) throw refused(`${name} is not of this secret`);
  // An id in a header isn't signed: whoever has seen the message could send it again under another one.
  return createHash('sha256').update(body).digest('hex');
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function refused(message: string): TactusError {
  return new TactusError('unauthenticated', message);
}
