import { TactusError } from '../../errors.js';
import type { Dispatchers } from '../../graphs/dispatcher.js';

/**
 * A way to reach people, as a worker has it. Secrets stand here by the names of the worker's environment variables alone
 * (or, with `NAME_FILE`, of files).
 */
export type Channel = (
  { webhook: WebhookChannel } | { slack: ChatChannel } | { teams: ChatChannel } | { email: EmailChannel }
) & {
  /** false: only requests that name it are told there. Left out: all requests of a run that is started with it are. */
  default?: boolean;
  /**
   * true: its messages carry links that answer without signing in, each for the one person who gets it, where the run takes
   * signed decisions. Never of webhooks, nor of a chat whose reader isn't said.
   */
  links?: boolean;
};

export interface ChatChannel {
  /** Name of the secret that holds its URL. */
  url: string;
  /** Who alone reads it: a chat with one person. Left out: nobody knows who does. */
  person?: string;
}

/** Whatever takes signed JSON: see `docs/channels.md`. */
export interface WebhookChannel {
  url: string;
  /** Name of the secret that its messages are signed with. */
  secret: string;
}

/** Mail by SMTP. */
export interface EmailChannel {
  host: string;
  /** Left out: 465 with `implicit`, else 587. */
  port?: number;
  /** `starttls` (left out): a connection that can't be encrypted isn't used. `none` goes without a password alone. */
  tls?: 'starttls' | 'implicit' | 'none';
  user?: string;
  /** Name of the secret. */
  password?: string;
  from: string;
  /** Addresses of people, by the names that decide. */
  to: Readonly<Record<string, string>>;
}

/** What a worker knows of reaching people, and other systems. */
export interface Reach {
  /** By name. */
  channels?: Readonly<Record<string, Channel>>;
  /** Where people find the page of requests: messages link to it. Left out: they name the command that answers. */
  publicUrl?: string;
  /** Hosts that a request's own `callback_url` may have, each with the name of the secret that its messages are signed with. */
  webhookHosts?: Readonly<Record<string, string>>;
  /** Where intents of graphs are sent, by their types. */
  outbox?: Dispatchers;
}

/** What a channel may be called. */
export const channelNamePattern = /^[A-Za-z][\w-]{0,63}$/;

/** What stands for the channel where a request has a URL of its own to be told at; no channel is called so. */
export const callbackChannel = 'callback';

/** Whether a value is names of channels. */
export function isChannelNames(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((name) => typeof name === 'string' && channelNamePattern.test(name))
  );
}

/**
 * Links need a key that signs them, and an address that they lead to.
 * @throws TactusError config_invalid where a channel has links, and there is neither
 */
export function assertLinks({ channels = {}, publicUrl }: Reach, hasKey: boolean): void {
  const linking = Object.keys(channels).find((name) => channels[name]?.links === true);
  if (linking === undefined) return;
  const needs = (what: string): TactusError =>
    new TactusError('config_invalid', `channels.${linking}.links needs ${what}`);
  if (!hasKey) throw needs('authority.links, the key that links are signed with: none are made without');
  if (publicUrl === undefined) throw needs('public_url, where people find the page');
}

/** Why people are told of an open request. */
export type TellReason = 'asked' | 'reminder' | 'escalated';

/** One message of a request by one channel, and what has become of it. */
export interface Delivery {
  channel: string;
  reason: TellReason;
  /** Which of its kind: the first are those who are asked from the beginning, later ones those whom it was handed on to; the stage of an escalation; the reminder. */
  number: number;
  /** `undelivered`: it could not be sent for some minutes, and is tried again for as long as the request is open. */
  status: 'sending' | 'delivered' | 'undelivered';
  /** Since when; ISO 8601 in UTC. */
  at: string;
  /** Of an escalation: it was time to remind people, too, and the message goes to them as well. */
  reminds?: true;
  /** Why it is undelivered, or who could not be reached by it. */
  problem?: string;
  /** Who has been reached, where each person has a message of their own. */
  told?: string[];
  /** The other side wants to hear when the request is closed. */
  closes?: true;
  /** Nothing is wrong with the channel: this message could not be sent. */
  alone?: true;
}

/** What a request says of who is told of it. */
export interface TellPolicy {
  /** Names of channels; left out: those of the run. */
  channels?: string[];
  /** A URL of its own to be told at. */
  callbackUrl?: string;
  /** People are reminded each time after so long, in ms. */
  remindMs?: number;
  /** Where nobody can be reached, those are asked whose turn would be next. */
  onUndelivered?: 'escalate';
}

/** When people are reminded next. */
export interface Reminder {
  every_ms: number;
  /** ISO 8601 in UTC; null: no more. */
  at: string | null;
  /** How often they were. */
  number: number;
}

/** A channel that can't be reached, and isn't tried for a while. */
export interface ChannelRest {
  /** Its name; the scheme and host of a request's own URL; one message, where nothing is wrong with the channel. */
  lane: string;
  /** How often it was tried for some minutes in vain. */
  windows: number;
  /** In ms since 1970; null: it is never tried again. */
  until: number | null;
}
