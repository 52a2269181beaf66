import type { Delivery } from '../channels/delivery.js';
import { changesOf, newestEngine, type Holds } from '../../engine.js';
import type { HumanRequest } from '../human-request.js';
import { isTold, withDeliveries } from './begin-deliveries.js';
import type { Ledger } from './ledger-shape.js';
import { replaceRequest } from './replace-request.js';

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
