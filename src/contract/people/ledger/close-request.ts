import { digestOf } from '../../effects/digest.js';
import type { HumanAnswer, HumanRequest } from '../human-request.js';
import type { JsonValue } from '../../json/json.js';
import { maxClosedRequests, type ClosedRequest, type Ledger } from './ledger-state.js';
import { quoteText } from '../../text/plain-text.js';
import type { ClosingNotice } from '../channels/tell-people.js';

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
    ...(url === undefined ? {} : { callback_url: url }),
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
