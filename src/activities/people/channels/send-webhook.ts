import { Context } from '@temporalio/activity';
import { createHmac } from 'node:crypto';
import { shortestWebhookKey } from '../../../authority/webhook-key.js';
import type { WebhookChannel } from '../../../contract/people/channels/channel.js';
import {
  requestPaths,
  type TellPeopleInput,
  type TellPeopleResult,
} from '../../../contract/people/channels/tell-people.js';
import { shortBounds } from '../../../egress/bounded-response.js';
import { egressFetch } from '../../../egress/egress-fetch.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { checkEndpoint } from '../../http/http-exchange.js';
import { Fault } from '../../retries/failures.js';
import { channelSecret, postMessage } from './post-message.js';

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

/** Sends a request as signed JSON. @throws Fault; TactusError missing_key */
export async function sendWebhook(
  { env, publicUrl, ...egress }: ActivityDeps,
  { url, secret }: WebhookChannel,
  input: TellPeopleInput,
): Promise<TellPeopleResult> {
  const endpoint = checkEndpoint(url, 'the URL of the webhook');
  const body = webhookBody(input, publicUrl, Context.current().info.namespace);
  const headers = signedHeaders(
    { name: secret, value: channelSecret(env, secret) },
    { id: `msg_${input.key}`, body, at: new Date() },
  );
  const outcome = await postMessage(egressFetch(egress, shortBounds), endpoint, headers, body);
  return outcome === 'gone' ? { gone: true } : { closes: true };
}

/** The request, why it is told, and where a program answers it; without `public_url` nobody knows where. */
function webhookBody(
  { request, why, number, procedure, to }: TellPeopleInput,
  publicUrl: string | undefined,
  namespace: string,
): string {
  const { id } = request;
  const at = (path: string): string | null => (publicUrl === undefined ? null : `${publicUrl}${path}`);
  return JSON.stringify({
    why,
    number,
    procedure,
    to,
    ...request,
    ...(why === 'closed'
      ? {}
      : {
          callback_url: at(requestPaths.decide(namespace, id)),
          page_url: at(requestPaths.page(id)),
        }),
  });
}
