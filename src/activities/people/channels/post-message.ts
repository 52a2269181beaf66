import { plainText } from '../../../contract/text/plain-text.js';
import { Fault } from '../../retries/failures.js';
import { isRetryableStatus, networkReason, retryAfterMs } from '../../http/http-exchange.js';
import type { Channel, Reach } from '../../../contract/people/channels/channel.js';
import type { Environment } from '../../../contract/environment.js';
import { TactusError } from '../../../contract/errors.js';
import { readSecret } from '../../secrets/secrets.js';

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
