import type { ChannelRest, Delivery } from '../channels/delivery.js';
import type { TellPeopleFailure, TellPeopleResult } from '../channels/tell-people.js';
import { deliveryKey, dueMessages, noticeKey, type DueMessage } from './due-messages.js';
import type { Ledger } from './ledger-shape.js';

const firstPauseMs = 300_000;
const longestPauseMs = 4 * 3_600_000;
/** What is wrong with a message itself somebody has to mend. */
const alonePauseMs = 24 * 3_600_000;

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
      ...(problem === undefined ? {} : { problem }),
      ...(told === undefined ? {} : { told }),
      ...(closes === undefined ? {} : { closes }),
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
    ...(told === undefined ? {} : { told }),
    ...(alone === undefined ? {} : { alone }),
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
    noticeKey(notice) === key
      ? { ...notice, status: 'undelivered' as const, ...(alone === undefined ? {} : { alone }) }
      : notice,
  );
  return closing === undefined ? ledger : { ...ledger, closing };
}
