import type { ClosingNotice } from '../channels/tell-people.js';
import type { HumanRequest } from '../human-request.js';
import type { ClosedRequest, Ledger } from './ledger-shape.js';

/** Notices that wait for channels that are down; the oldest are dropped where there are more. */
const mostNotices = 200;

/** The ledger with a notice that a request is closed for each of these channels. */
export function withNotices(
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
export function closingChannels({ deliveries = [] }: HumanRequest): string[] {
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
