import type { WebhookChannel } from '../../../contract/people/channels/channel.js';
import { checkEndpoint } from '../../http/check-endpoint.js';
import { Fault } from '../../retries/fault.js';

/**
 * The URL that a request brings itself, as a webhook: where configuration allows its host, and nowhere else. Whoever writes a procedure, or a model that
 * does, must not have the worker's network sent to where he likes.
 * @throws Fault
 */
export function allowedCallback(
  url: string | undefined,
  hosts: Readonly<Record<string, string>> = {},
): WebhookChannel {
  const { origin, host } = checkEndpoint(url ?? '', 'callback_url');
  const allowed = Object.entries(hosts).find(([each]) => originOf(each) === origin);
  if (allowed === undefined)
    throw new Fault(`no webhook_hosts of this worker allow callback_url at ${host}`, { retryable: false });
  return { url: url ?? '', secret: allowed[1] };
}

/** Of a host, that of `https`; another scheme has to be written. */
function originOf(host: string): string | null {
  const text = host.includes('://') ? host : `https://${host}`;
  return URL.canParse(text) ? new URL(text).origin : null;
}
