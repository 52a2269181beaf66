import type { HumanRequest, HumanRequestKind } from '../human-request.js';
import type { TellReason } from './channel.js';

/** A channel that hears that a request is closed. */
export interface ClosingNotice {
  id: string;
  position: string;
  kind: HumanRequestKind;
  digest: string;
  channel: string;
  callback_url?: string;
  how: 'decided' | 'timed_out' | 'cancelled' | 'withdrawn';
  by: string | null;
  /** When it was closed; ISO 8601 in UTC. */
  closed_at: string;
  status: 'sending' | 'undelivered';
  alone?: true;
}

/** What the activity that tells people gets. */
export interface TellPeopleInput {
  channel: string;
  /** The same at every attempt, and for no other message. */
  key: string;
  why: TellReason | 'closed';
  number: number;
  /** Of the run. */
  procedure: string;
  callbackUrl?: string;
  /** Whom it is meant for; null: anybody. */
  to: readonly string[] | null;
  /** Who has been reached already. */
  told: readonly string[];
  request: ToldRequest | ClosedNotice;
}

/** A request as channels have it; `whole` is false where it was too large, and what is missing is to be asked for. */
export type ToldRequest = Omit<HumanRequest, 'deliveries' | 'callback_url'> & { whole: boolean };

/** The same of one that is closed. */
export type ClosedNotice = Pick<
  ClosingNotice,
  'id' | 'position' | 'kind' | 'digest' | 'how' | 'by' | 'closed_at'
> & {
  run_id: string;
};

/** What came of it where nothing is to be tried again. */
export interface TellPeopleResult {
  told?: string[];
  closes?: true;
  /** Who could not be reached. */
  problem?: string;
  /** The other side wants no more, for good. */
  gone?: true;
}

/** What an attempt that failed tells of itself. */
export interface TellPeopleFailure {
  told?: string[];
  /** It is about this message, and not about the channel. */
  alone?: true;
  /** When the other side wants to be asked again, in ms. */
  retryAfterMs?: number;
}

/** Of the page and the HTTP API of `serve`, below its address. Everything that links to a request does it by these. */
export const requestPaths = {
  /** Where a person looks at a request and answers it. */
  page: (id: string): string => `/requests/${encodeURIComponent(id)}`,
  /** Where one person answers without signing in. What stands behind `#` no browser sends: no server's log has the token. */
  link: (token: string): string => `/link#${token}`,
  /** Where a program decides it, by POST. */
  decide: (namespace: string, id: string): string =>
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/requests/${encodeURIComponent(id)}/decide`,
} as const;
