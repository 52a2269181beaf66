import { Context } from '@temporalio/activity';
import { createHmac } from 'node:crypto';
import { plainText } from '../../../contract/text/plain-text.js';
import { Fault } from '../../retries/failures.js';
import { checkEndpoint, isRetryableStatus, networkReason, retryAfterMs } from '../../http/http-exchange.js';
import type { Channel, Reach, WebhookChannel } from '../../../contract/people/channels/channel.js';
import {
  requestPaths,
  type TellPeopleInput,
  type TellPeopleResult,
} from '../../../contract/people/channels/tell-people.js';
import type { Environment } from '../../../contract/environment.js';
import { TactusError } from '../../../contract/errors.js';
import { readSecret } from '../../secrets/secrets.js';
import { shortestWebhookKey } from '../../../authority/webhook-key.js';
import { shortBounds } from '../../../egress/bounded-response.js';
import { egressFetch } from '../../../egress/egress-fetch.js';
import type { ActivityDeps } from '../../activity-deps.js';

/** A message can't be sent, and nothing is wrong with its channel. */
export class MessageFault extends Fault {
  constructor(message: string) {
    super(message, { retryable: false });
  }
}

/** Whoever takes a message answers soon. */
const timeoutMs = 10_000;
const longestReason = 200;

/** These are about what was sent. */
const unfit = [400, 413, 422];

/**
 * Posts a message, and says whether it was taken, or whether the other side wants none for good. Redirects are not followed. It isn't broken off when the activity is cancelled: a message of which
 * nobody knows whether it has arrived would be sent again.
 * @throws Fault
 */
export async function postMessage(
  request: typeof fetch,
  url: URL,
  headers: Record<string, string>,
  body: string,
): Promise<'taken' | 'gone'> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await request(url, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
      signal,
    });
    if (response.ok || response.status === 410) {
      await response.body?.cancel();
      return response.ok ? 'taken' : 'gone';
    }
    throw await faultOf(response);
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (signal.aborted) throw new Fault(`gave no answer within ${timeoutMs} ms`, { retryable: true });
    const reason = networkReason(error);
    throw reason === null ? error : new Fault(`can't be reached (${reason})`, { retryable: true });
  }
}

async function faultOf(response: Response): Promise<Fault> {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return new Fault(`answered ${status}: redirects are not followed`, { status, retryable: false });
  }
  const said = plainText(await beginning(response)).trim();
  // What refuses a key may quote it in parts.
  const reason = status === 401 || said === '' ? '' : `: ${said}`;
  if (unfit.includes(status)) return new MessageFault(`answered ${status}${reason}`);
  return new Fault(`answered ${status}${reason}`, {
    ...{ status, retryable: isRetryableStatus(status) },
    retryAfterMs: retryAfterMs(headers, Date.now()),
  });
}

/** The first words of an answer: the rest isn't read. */
async function beginning(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const read: { value?: Uint8Array | undefined } | undefined = await reader?.read();
  await reader?.cancel();
  return Buffer.from(read?.value ?? [])
    .toString()
    .slice(0, longestReason);
}

/**
 * A secret of a channel.
 * @throws TactusError missing_key
 */
export function channelSecret(env: Environment, name: string): string {
  const secret = readSecret(env, name);
  if (secret !== null) return secret;
  throw new TactusError('missing_key', `It needs the secret ${name}: set ${name} (or ${name}_FILE)`, {
    variable: name,
  });
}

/** All secrets of a worker's channels, as far as they are there. */
export function channelSecrets({
  channels = {},
  webhookHosts = {},
  env,
}: Reach & { env: Environment }): string[] {
  const names = [...Object.values(channels).flatMap(namesOf), ...Object.values(webhookHosts)];
  return names.flatMap((name) => {
    try {
      return [readSecret(env, name) ?? ''];
    } catch {
      return []; // A file that can't be read gave no secret away.
    }
  });
}

function namesOf(channel: Channel): string[] {
  if ('webhook' in channel) return [channel.webhook.secret];
  if ('slack' in channel) return [channel.slack.url];
  if ('teams' in channel) return [channel.teams.url];
  return channel.email.password === undefined ? [] : [channel.email.password];
}

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
