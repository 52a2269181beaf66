import { defined } from '../../json/json.js';
import { callbackChannel, type ChannelRest, type Delivery, type TellReason } from '../channels/channel.js';
import type { ClosingNotice, TellPeopleFailure, TellPeopleResult } from '../channels/tell-people.js';
import type { HumanRequest } from '../human-request.js';
import type { Ledger } from './ledger-state.js';

/** Something that is to be sent, and hasn't arrived yet as far as anybody knows. */
export type DueMessage = {
  /** The same for as long as it is due, through continue-as-new; no other message has it. */
  key: string;
  /** What can be down: see `ChannelRest`. */
  lane: string;
  status: 'sending' | 'undelivered';
} & ({ request: HumanRequest; delivery: Delivery } | { notice: ClosingNotice });

/** All that is to be sent, in the order in which it came up. */
export function dueMessages({ open, closing = [] }: Ledger): DueMessage[] {
  const ofOpen = open.flatMap((request) =>
    (request.deliveries ?? []).flatMap((delivery): DueMessage[] => {
      const { status } = delivery;
      if (status === 'delivered') return [];
      const key = deliveryKey(request, delivery);
      return [
        { key, lane: laneOf(key, { ...delivery, url: request.callback_url }), status, request, delivery },
      ];
    }),
  );
  const ofClosed = closing.map((notice): DueMessage => {
    const key = noticeKey(notice);
    return { key, lane: laneOf(key, { ...notice, url: notice.callback_url }), status: notice.status, notice };
  });
  return [...ofClosed, ...ofOpen];
}

/** With the digest: another question at the same place is told anew. */
function deliveryKey(
  { id, digest }: Pick<HumanRequest, 'id' | 'digest'>,
  { channel, reason, number }: Pick<Delivery, 'channel' | 'reason' | 'number'>,
): string {
  return `${id}/${digest}/${channel}/${reason}/${number}`;
}

function noticeKey({ id, digest, channel }: ClosingNotice): string {
  return `${id}/${digest}/${channel}/closed/1`;
}

interface Addressed {
  channel: string;
  url: string | undefined;
  alone?: true;
}

function laneOf(key: string, { channel, url = '', alone }: Addressed): string {
  if (alone === true) return key;
  return channel === callbackChannel ? (/^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? url) : channel;
}

/** Messages that a request remembers: of many, the oldest that have arrived are dropped. */
const mostDeliveries = 100;

/** The request with messages that are to be sent by each of its channels; the same where it has none. */
export function withDeliveries(
  request: HumanRequest,
  reason: TellReason,
  number: number,
  nowMs: number,
): HumanRequest {
  const before = request.deliveries ?? [];
  const at = new Date(nowMs).toISOString();
  const begun = channelsOf(request)
    // Who hasn't heard of it yet is to hear of it once, and not twice when the channel is there again.
    .filter((channel) => reason !== 'reminder' || isTold(before, channel))
    .map((channel): Delivery => ({ channel, reason, number, status: 'sending', at }));
  if (begun.length === 0) return request;
  const others = reason === 'reminder' ? before.filter((each) => each.reason !== 'reminder') : before;
  return { ...request, deliveries: [...bounded(others, mostDeliveries - begun.length), ...begun] };
}

/** Where people are told of a request. */
function channelsOf({ channels = [], callback_url: url }: HumanRequest): string[] {
  return [...channels, ...(url === undefined ? [] : [callbackChannel])];
}

/** What an answer says of the messages of its request. */
export function deliveriesOf({ deliveries }: HumanRequest): Pick<HumanRequest, 'deliveries'> {
  return deliveries === undefined ? {} : { deliveries };
}

/** Whether the request has been delivered to a channel. */
export function isTold(deliveries: readonly Delivery[], channel: string): boolean {
  return deliveries.some(
    (each) => each.channel === channel && each.reason === 'asked' && each.status === 'delivered',
  );
}

function bounded(deliveries: readonly Delivery[], most: number): Delivery[] {
  let tooMany = deliveries.length - most;
  // What says that a channel has been told stays.
  return deliveries.filter(({ status, reason }) => {
    if (tooMany <= 0 || status !== 'delivered' || reason === 'asked') return true;
    tooMany--;
    return false;
  });
}

/** Messages that are sent at once, of a run and by one channel: history and one message to the server have bounds. */
const mostOfRun = 50;

const mostOfLane = 10;

/**
 * What is to be begun now. A channel that wasn't there is tried with one message alone: when it arrives, the others follow. What
 * has just come up is such a one at any time, for the channel may be there again.
 * @param underWay lanes of what is being sent, by their keys
 */
export function nextMessages(
  ledger: Ledger,
  underWay: ReadonlyMap<string, string>,
  nowMs: number,
): DueMessage[] {
  const rests = new Map((ledger.rests ?? []).map((rest) => [rest.lane, rest]));
  const inLane = new Map<string, number>();
  for (const lane of underWay.values()) inLane.set(lane, (inLane.get(lane) ?? 0) + 1);
  let room = mostOfRun - underWay.size;
  return dueMessages(ledger).filter(({ key, lane, status }) => {
    if (underWay.has(key) || room <= 0) return false;
    const rest = rests.get(lane);
    const isResting = rest !== undefined && (rest.until === null || rest.until > nowMs);
    if (isResting && (rest.until === null || status === 'undelivered')) return false;
    const busy = inLane.get(lane) ?? 0;
    if (busy >= (rest === undefined ? mostOfLane : 1)) return false;
    inLane.set(lane, busy + 1);
    room--;
    return true;
  });
}

export interface Undelivered extends TellPeopleFailure {
  problem: string;
  gone?: true;
}

/** A message has arrived: its channel is there, and what waits for it may follow. */
export function noteDelivered(
  ledger: Ledger,
  { key, lane }: DueMessage,
  { told, closes, problem }: TellPeopleResult,
  nowMs: number,
): Ledger {
  const noted = withDelivery(ledger, key, (delivery) => {
    const { problem: _, ...before } = delivery;
    return {
      ...before,
      ...{ status: 'delivered', at: new Date(nowMs).toISOString() },
      ...defined({ problem, told, closes }),
    };
  });
  const closing = (noted.closing ?? []).filter((notice) => noticeKey(notice) !== key);
  return withRests({ ...noted, closing }, (rests) => rests.filter((rest) => rest.lane !== lane));
}

/**
 * A message could not be sent for some minutes. Its channel rests, ever longer, and nothing else that was to be sent there is
 * tried before.
 * @param underWay lanes of what is being sent, by their keys
 */
export function noteUndelivered(
  ledger: Ledger,
  message: DueMessage,
  failure: Undelivered,
  underWay: ReadonlyMap<string, string>,
  nowMs: number,
): Ledger {
  const { told, alone, retryAfterMs = 0, gone, problem } = failure;
  const at = new Date(nowMs).toISOString();
  const undelivered = (delivery: Delivery): Delivery => ({
    ...delivery,
    ...{ status: 'undelivered', at, problem },
  });
  const { key } = message;
  let noted = withDelivery(ledger, key, (delivery) => ({
    ...undelivered(delivery),
    ...defined({ told, alone }),
  }));
  noted = withNotice(noted, key, alone);
  const lane = alone === true ? key : message.lane;
  if (alone !== true)
    for (const other of dueMessages(noted))
      if (other.lane === lane && other.status === 'sending' && !underWay.has(other.key))
        noted = withNotice(withDelivery(noted, other.key, undelivered), other.key, undefined);
  return withRests(noted, (rests) => {
    const before = rests.find((rest) => rest.lane === lane);
    const isNew = before === undefined || (before.until !== null && before.until <= nowMs);
    const windows = (before?.windows ?? 0) + (isNew ? 1 : 0);
    const pauseMs = Math.max(alone === true ? alonePauseMs : pauseOf(windows), retryAfterMs);
    const until = isNew ? nowMs + pauseMs : Math.max(before.until ?? 0, nowMs + retryAfterMs);
    const rest: ChannelRest = {
      lane,
      windows,
      until: gone === true || before?.until === null ? null : until,
    };
    return [...rests.filter((each) => each !== before), rest];
  });
}

/** What is to be sent where nothing is taken any more, for good. */
export function noteGone(ledger: Ledger, nowMs: number): Ledger {
  const gone = (ledger.rests ?? []).filter(({ until }) => until === null).map(({ lane }) => lane);
  if (gone.length === 0) return ledger;
  const at = new Date(nowMs).toISOString();
  return dueMessages(ledger)
    .filter(({ lane }) => gone.includes(lane))
    .reduce((noted, { key, status }) => {
      const closing = noted.closing?.filter((notice) => noticeKey(notice) !== key);
      const rest = closing === undefined ? noted : { ...noted, closing };
      if (status === 'undelivered') return rest;
      return withDelivery(rest, key, (delivery) => ({
        ...delivery,
        ...{ status: 'undelivered', at, problem: 'takes no more messages (410)' },
      }));
    }, ledger);
}

/** Channels by which nothing is to be sent any more need not be remembered. */
export function forgetRests(ledger: Ledger): Ledger {
  const lanes = new Set(dueMessages(ledger).map(({ lane }) => lane));
  return withRests(ledger, (rests) => rests.filter(({ lane, until }) => until === null || lanes.has(lane)));
}

const firstPauseMs = 300_000;

const longestPauseMs = 4 * 3_600_000;

/** What is wrong with a message itself somebody has to mend. */
const alonePauseMs = 24 * 3_600_000;

function pauseOf(windows: number): number {
  return Math.min(firstPauseMs * 2 ** (windows - 1), longestPauseMs);
}

function withRests(ledger: Ledger, change: (rests: ChannelRest[]) => ChannelRest[]): Ledger {
  const { rests: before = [], closing, ...others } = ledger;
  const rests = change(before);
  return {
    ...others,
    ...(rests.length === 0 ? {} : { rests }),
    ...(closing === undefined || closing.length === 0 ? {} : { closing }),
  };
}

function withDelivery(ledger: Ledger, key: string, change: (delivery: Delivery) => Delivery): Ledger {
  const open = ledger.open.map((request) => {
    const { deliveries } = request;
    if (deliveries?.some((each) => deliveryKey(request, each) === key) !== true) return request;
    const changed = deliveries.map((each) => (deliveryKey(request, each) === key ? change(each) : each));
    return { ...request, deliveries: changed };
  });
  return { ...ledger, open };
}

function withNotice(ledger: Ledger, key: string, alone: true | undefined): Ledger {
  const closing = ledger.closing?.map((notice) =>
    noticeKey(notice) === key ? { ...notice, status: 'undelivered' as const, ...defined({ alone }) } : notice,
  );
  return closing === undefined ? ledger : { ...ledger, closing };
}
