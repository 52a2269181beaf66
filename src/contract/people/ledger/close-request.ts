import { digestOf } from '../../effects/digest.js';
import type { HumanAnswer, HumanRequest } from '../human-request.js';
import { defined, type JsonValue } from '../../json/json.js';
import { maxClosedRequests, replaceRequest, type ClosedRequest, type Ledger } from './ledger-state.js';
import { readAnswerValue } from './answers.js';
import { deliveriesOf, isTold, withDeliveries } from './deliveries.js';
import { quoteText } from '../../text/plain-text.js';
import type { ClosingNotice } from '../channels/tell-people.js';
import type { Delivery } from '../channels/channel.js';
import { changesOf, newestEngine, type Holds } from '../../engine.js';

interface Closing {
  how: ClosedRequest['how'];
  at: number;
  /** null for a cancelled request: nobody waits for its answer. */
  answer: HumanAnswer | null;
  decisionId: string | null;
  /** The value as it was sent; left out where nobody sent one. */
  given?: JsonValue;
}

/** Moves an open request to the closed ones; the oldest of these are dropped where there are too many. */
export function closeRequest(ledger: Ledger, request: HumanRequest, closing: Closing): Ledger {
  const { how, at, answer, decisionId, given } = closing;
  const valueDigest = answer === null ? null : digestOf(answer.value);
  const givenDigest = given === undefined ? valueDigest : digestOf(given);
  const entry: ClosedRequest = {
    id: request.id,
    kind: request.kind,
    digest: request.digest,
    how,
    at,
    by: answer?.by ?? null,
    decisionId,
    valueDigest,
    ...(givenDigest === null || givenDigest === valueDigest ? {} : { givenDigest }),
    valueText: answer === null ? '' : quoteText(answer.value),
    answer,
  };
  const told = withNotices(ledger, request, entry, closingChannels(request));
  return {
    ...told,
    open: ledger.open.filter(({ id }) => id !== request.id),
    closed: [...ledger.closed, entry].slice(-maxClosedRequests),
  };
}

/** Withdraws an open request: the branch or the run that asked is gone. Of others nothing changes. */
export function cancelRequest(ledger: Ledger, id: string, nowMs: number): Ledger {
  const request = ledger.open.find((open) => open.id === id);
  if (request === undefined) return ledger;
  return closeRequest(ledger, request, { how: 'cancelled', at: nowMs, answer: null, decisionId: null });
}

/** Notices that wait for channels that are down; the oldest are dropped where there are more. */
const mostNotices = 200;

/** The ledger with a notice that a request is closed for each of these channels. */
function withNotices(
  ledger: Ledger,
  { id, position, kind, digest, callback_url: url }: HumanRequest,
  { how, by, at }: Pick<ClosedRequest, 'how' | 'by' | 'at'>,
  channels: readonly string[],
): Ledger {
  if (channels.length === 0) return ledger;
  const notices = channels.map((channel): ClosingNotice => ({
    ...{ id, position, kind, digest, channel, how, by },
    ...defined({ callback_url: url }),
    closed_at: new Date(at).toISOString(),
    status: 'sending',
  }));
  return { ...ledger, closing: [...(ledger.closing ?? []), ...notices].slice(-mostNotices) };
}

/** Channels that have been told of a request, and want to hear of its end. */
function closingChannels({ deliveries = [] }: HumanRequest): string[] {
  const told = deliveries.filter(({ status, closes }) => status === 'delivered' && closes === true);
  return [...new Set(told.map(({ channel }) => channel))];
}

/** A request was closed while a message of it was on its way, which has arrived: who has it is to hear of the end too. */
export function noteLateDelivery(ledger: Ledger, request: HumanRequest, channel: string): Ledger {
  const closed = ledger.closed.find(({ id, digest }) => id === request.id && digest === request.digest);
  const isKnown = ledger.closing?.some((each) => each.id === request.id && each.channel === channel);
  if (closed === undefined || isKnown === true) return ledger;
  return withNotices(ledger, request, closed, [channel]);
}

/** When something becomes of a request by itself, in ms since 1970: others are asked, people are reminded, or its time is over; null: never. */
export function nextTime({ deadline, escalation = [], reminder }: HumanRequest): number | null {
  const times = escalation.filter(({ asked }) => !asked).map(({ at }) => at);
  if (deadline !== null) times.push(deadline);
  if (reminder !== undefined && reminder.at !== null) times.push(reminder.at);
  return times.length === 0 ? null : Math.min(...times.map((at) => Date.parse(at)));
}

/**
 * Where nobody could be told of a request whose policy says so, those are asked now whose turn would be next, once. Those after them
 * move up by the same time, so that each stage has its own time; the end stays, for a channel that is down must not bring it nearer.
 */
export function askUnreached(ledger: Ledger, nowMs: number): { ledger: Ledger; moved: string[] } {
  const moved = ledger.open.filter(isUnreached);
  const next = moved.reduce((asked, request) => replaceRequest(asked, askNext(request, nowMs)), ledger);
  return { ledger: next, moved: moved.map(({ id }) => id) };
}

function isUnreached({ on_undelivered: policy, escalation = [], deliveries = [] }: HumanRequest): boolean {
  if (policy !== 'escalate' || escalation.some(({ because }) => because !== undefined)) return false;
  const first = deliveries.filter(({ reason, number }) => reason === 'asked' && number === 1);
  return (
    first.length > 0 &&
    first.every(({ status }) => status === 'undelivered') &&
    escalation.some(({ asked }) => !asked)
  );
}

function askNext(request: HumanRequest, nowMs: number): HumanRequest {
  const { escalation = [] } = request;
  const first = escalation.find(({ asked }) => !asked);
  const earlier = first === undefined ? 0 : Math.max(0, Date.parse(first.at) - nowMs);
  const stages = escalation.map((stage) => {
    if (stage.asked) return stage;
    const at = new Date(Date.parse(stage.at) - earlier).toISOString();
    return { ...stage, at, ...(stage === first ? { because: 'undelivered' as const } : {}) };
  });
  return askStages({ ...request, escalation: stages }, nowMs);
}

/** Asks those besides whose turn it is. Who was asked before may decide as well; where anybody may, that stays so. */
export function escalateRequest(ledger: Ledger, id: string, nowMs: number): Ledger {
  const request = ledger.open.find((each) => each.id === id);
  if (request?.escalation === undefined) return ledger;
  return replaceRequest(ledger, askStages(request, nowMs));
}

/** The request with those asked whose time has come, and messages to them. */
function askStages(request: HumanRequest, nowMs: number): HumanRequest {
  const { escalation: before = [] } = request;
  const escalation = before.map((each) => ({ ...each, asked: Date.parse(each.at) <= nowMs }));
  const asked = escalation.filter((each) => each.asked).flatMap(({ to }) => to);
  const approvers = request.approvers.length === 0 ? [] : [...new Set([...request.approvers, ...asked])];
  return escalation.reduce<HumanRequest>(
    (told, stage, index) =>
      stage.asked && before[index]?.asked === false
        ? withDeliveries(told, 'escalated', index + 1, nowMs)
        : told,
    { ...request, escalation, approvers },
  );
}

export interface Expiry {
  ledger: Ledger;
  /** Requests whose time is over, with what their procedures get. */
  expired: { id: string; answer: HumanAnswer }[];
}

/** Closes every request whose deadline has come, with its default. Settle the decisions of the same step first. */
export function expireRequests(ledger: Ledger, nowMs: number): Expiry {
  const expired: Expiry['expired'] = [];
  let next = ledger;
  for (const request of ledger.open) {
    if (request.deadline === null || Date.parse(request.deadline) > nowMs) continue;
    const answer = {
      ...{ value: defaultOf(request), timed_out: true, by: null, comment: null },
      ...deliveriesOf(request),
    };
    next = closeRequest(next, request, { how: 'timed_out', at: nowMs, answer, decisionId: null });
    expired.push({ id: request.id, answer });
  }
  return { ledger: next, expired };
}

/** In the form that a decision of the same value would have; an approval is a boolean whatever its default is. */
export function defaultOf(
  request: Pick<HumanRequest, 'kind' | 'form' | 'default' | 'on_timeout'>,
): HumanAnswer['value'] {
  if (request.on_timeout === 'error') return null;
  const { kind, form } = request;
  const readable = { kind, options: [], ...defined({ form }) };
  const read = readAnswerValue(readable, request.default);
  if (typeof read !== 'string') return read.value;
  return request.kind === 'approval' ? false : request.default;
}

/** A request that nobody has answered after so many won't be by one more. */
const mostReminders = 100;

/**
 * Reminds people of an open request where it is time to. Where no worker was there for long, once; and where others are asked
 * at this moment, by the message that says so.
 */
export function remindRequest(
  ledger: Ledger,
  id: string,
  nowMs: number,
  holds: Holds = changesOf(newestEngine),
): Ledger {
  const request = ledger.open.find((each) => each.id === id);
  const { reminder } = request ?? {};
  if (request === undefined || reminder === undefined || reminder.at === null) return ledger;
  const due = Date.parse(reminder.at);
  if (due > nowMs) return ledger;
  const number = reminder.number + 1;
  const next = due + reminder.every_ms > nowMs ? due + reminder.every_ms : nowMs + reminder.every_ms;
  const at = number >= mostReminders ? null : new Date(next).toISOString();
  const counted = { ...request, reminder: { ...reminder, at, number } };
  const alsoEscalated = holds('one-message-at-once') ? withReminders(counted, nowMs) : null;
  return replaceRequest(ledger, alsoEscalated ?? withDeliveries(counted, 'reminder', number, nowMs));
}

/** The request whose messages of this moment, which say that others are asked, go to all who are reminded, too; null where there is none. */
function withReminders(request: HumanRequest, nowMs: number): HumanRequest | null {
  const { deliveries = [] } = request;
  const isOfNow = ({ reason, at }: Delivery): boolean => reason === 'escalated' && Date.parse(at) === nowMs;
  const last = deliveries.findLast(isOfNow);
  if (last === undefined) return null;
  const isLast = (each: Delivery): boolean => isOfNow(each) && each.number === last.number;
  return {
    ...request,
    deliveries: deliveries.map((each) =>
      isLast(each) && isTold(deliveries, each.channel) ? { ...each, reminds: true } : each,
    ),
  };
}
