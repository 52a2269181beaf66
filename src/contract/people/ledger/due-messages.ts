import { callbackChannel } from '../channels/channel.js';
import type { Delivery } from '../channels/delivery.js';
import type { ClosingNotice } from '../channels/tell-people.js';
import type { HumanRequest } from '../human-request.js';
import type { Ledger } from './ledger-shape.js';

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
export function deliveryKey(
  { id, digest }: Pick<HumanRequest, 'id' | 'digest'>,
  { channel, reason, number }: Pick<Delivery, 'channel' | 'reason' | 'number'>,
): string {
  return `${id}/${digest}/${channel}/${reason}/${number}`;
}

export function noticeKey({ id, digest, channel }: ClosingNotice): string {
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
