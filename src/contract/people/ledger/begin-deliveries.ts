import { callbackChannel } from '../channels/channel.js';
import type { Delivery, TellReason } from '../channels/delivery.js';
import type { HumanRequest } from '../human-request.js';

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
export function channelsOf({ channels = [], callback_url: url }: HumanRequest): string[] {
  return [...channels, ...(url === undefined ? [] : [callbackChannel])];
}

/** What an answer says of them. */
export function deliveriesOf({ deliveries }: HumanRequest): Pick<HumanRequest, 'deliveries'> {
  return deliveries === undefined ? {} : { deliveries };
}

/** The request has arrived there. */
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
