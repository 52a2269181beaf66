import { Context } from '@temporalio/activity';
import {
  callbackChannel,
  type Channel,
  type WebhookChannel,
} from '../../../contract/people/channels/channel.js';
import {
  requestPaths,
  type ClosedNotice,
  type TellPeopleFailure,
  type TellPeopleInput,
  type TellPeopleResult,
  type ToldRequest,
} from '../../../contract/people/channels/tell-people.js';
import { getOwn, type JsonObject } from '../../../contract/json/json.js';
import { shortBounds } from '../../../egress/bounded-response.js';
import { egressFetch } from '../../../egress/egress-fetch.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { checkEndpoint } from '../../http/http-exchange.js';
import { atEdge, Fault } from '../../retries/failures.js';
import { withHeartbeat } from '../../retries/heartbeat.js';
import { secretsOf } from '../../secrets/secrets.js';
import { messageParts, type MessageParts } from './message-parts.js';
import { channelSecret, channelSecrets, MessageFault, postMessage, sendWebhook } from './post-message.js';
import { sendEmail, type Told } from './send-email.js';
import { slackMessage, teamsMessage } from './chat-messages.js';
import { signLink, type LinkSigner } from '../../../authority/signed-links.js';

/** Whoever asks to be left alone for longer is not waited for: the channel rests for so long. */
const patienceMs = 60_000;

/**
 * Tells people of a human request by one channel. A kill right behind the sending has the next attempt say it again, by the
 * same id.
 * @throws ApplicationFailure of type delivery_failed, missing_key or missing_package, with a `TellPeopleFailure`
 */
export async function tellPeople(deps: ActivityDeps, input: TellPeopleInput): Promise<TellPeopleResult> {
  const people = new Set([...input.told, ...toldBefore()]);
  const toldSoFar = (): JsonObject => (people.size === 0 ? {} : { told: [...people] });
  let failure: TellPeopleFailure = {};
  const signatures: string[] = [];
  const edge = {
    ...{ code: 'delivery_failed' as const, subject: `Channel ${input.channel}` },
    secrets: () => [...secretsOf(deps.env), ...channelSecrets(deps), ...signatures],
    details: () => ({ ...toldSoFar(), ...failure }) as JsonObject,
  };
  return atEdge(edge, () =>
    withHeartbeat(async (beat) => {
      try {
        return await send(deps, input, { people, added: beat }, (signature) => signatures.push(signature));
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const { message, retryAfterMs } = error;
        if (error instanceof MessageFault) failure = { alone: true };
        if (retryAfterMs === null || retryAfterMs <= patienceMs) throw error;
        failure = { retryAfterMs };
        throw new Fault(message, { retryable: false });
      }
    }, toldSoFar),
  );
}

function send(
  deps: ActivityDeps,
  input: TellPeopleInput,
  told: Told,
  made: (signature: string) => void,
): Promise<TellPeopleResult> {
  const channel = channelOf(deps, input);
  if ('webhook' in channel) return sendWebhook(deps, channel.webhook, input);
  const { request } = input;
  // Where a message is read once, and can't be taken back, nobody is told of the end.
  if (isClosed(request)) return Promise.resolve({});
  const { publicUrl, links: signer } = deps;
  const { namespace } = Context.current().info;
  const link = linkFor(channel, request, { publicUrl, signer, namespace, made });
  const partsFor = (person: string | undefined): MessageParts =>
    messageParts(input, request, publicUrl, person === undefined ? null : link(person));
  if ('email' in channel) return sendEmail(deps.env, channel.email, input, partsFor, told);
  const isSlack = 'slack' in channel;
  const { url, person } = isSlack ? channel.slack : channel.teams;
  const parts = partsFor(person);
  return post(deps, url, isSlack ? slackMessage(parts) : teamsMessage(parts));
}

async function post(
  { env, ...egress }: ActivityDeps,
  name: string,
  message: JsonObject,
): Promise<TellPeopleResult> {
  const url = checkEndpoint(channelSecret(env, name), `the URL in ${name}`);
  const outcome = await postMessage(egressFetch(egress, shortBounds), url, {}, JSON.stringify(message));
  return outcome === 'gone' ? { gone: true } : {};
}

/** @throws Fault where this worker has no such channel, or may not send there */
function channelOf({ channels = {}, webhookHosts }: ActivityDeps, input: TellPeopleInput): Channel {
  if (input.channel === callbackChannel) return { webhook: allowedCallback(input.callbackUrl, webhookHosts) };
  const channel = getOwn(channels, input.channel);
  if (channel === undefined) throw new Fault('no configuration of this worker has it', { retryable: false });
  return channel;
}

function isClosed(request: ToldRequest | ClosedNotice): request is ClosedNotice {
  return 'closed_at' in request;
}

/** By attempts before this one. */
function toldBefore(): string[] {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails?: { told?: unknown } };
  const told = heartbeatDetails?.told;
  return Array.isArray(told) ? told.filter((name): name is string => typeof name === 'string') : [];
}

/**
 * The URL that a request brings itself, as a webhook: where configuration allows its host, and nowhere else. Whoever writes a procedure, or a model that
 * does, must not have the worker's network sent to where he likes.
 * @throws Fault
 */
function allowedCallback(
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

interface Linking {
  publicUrl: string | undefined;
  signer: LinkSigner | undefined;
  namespace: string;
  /** Told of each signature, which must not get into any history: all else of a link can be guessed. */
  made: (signature: string) => void;
}

/** Gives the address of a link by which a person answers; null: they go by the page, and sign in there. */
type LinkFor = (person: string) => string | null;

/**
 * How a channel links for each person. Where a run takes decisions by their senders' word a link would prove nothing, so there is
 * none; nor for whoever the run would refuse.
 */
function linkFor(channel: Channel, request: ToldRequest, linking: Linking): LinkFor {
  const { publicUrl, signer, namespace, made } = linking;
  if (channel.links !== true || request.authority !== 'signed') return () => null;
  // No worker with such a channel is without them.
  if (signer === undefined || publicUrl === undefined) return () => null;
  const { approvers, requester } = request;
  return (person) => {
    if (person === requester || (approvers.length > 0 && !approvers.includes(person))) return null;
    const token = signLink(request, { approver: person, namespace }, signer);
    if (token === null) return null;
    made(token.split('.')[1] ?? '');
    return `${publicUrl}${requestPaths.link(token)}`;
  };
}
