import { createHmac } from 'node:crypto';
import { shortestWebhookKey } from '../../../authority/webhook-key.js';
import { Fault } from '../../retries/fault.js';

const prefix = 'whsec_';

/**
 * The headers of a signed message, by the Standard Webhooks convention: HMAC-SHA256 of id, time and body.
 * @param secret `whsec_` and base64, or any text of 24 bytes or more
 * @throws Fault where the secret is too short
 */
export function signedHeaders(
  secret: { name: string; value: string },
  message: { id: string; body: string; at: Date },
): Record<string, string> {
  const { id, body, at } = message;
  const key = secret.value.startsWith(prefix)
    ? Buffer.from(secret.value.slice(prefix.length), 'base64')
    : Buffer.from(secret.value);
  if (key.length < shortestWebhookKey)
    throw new Fault(`the secret ${secret.name} has less than ${shortestWebhookKey} bytes`, {
      retryable: false,
    });
  const seconds = Math.floor(at.getTime() / 1_000);
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
