import { withDeliveries } from './begin-deliveries.js';
import type { Ledger } from './ledger-shape.js';
import { replaceRequest } from './replace-request.js';

/** A request that nobody has answered after so many won't be by one more. */
const mostReminders = 100;

/** Reminds people of an open request where it is time to. Where no worker was there for long, once. */
export function remindRequest(ledger: Ledger, id: string, nowMs: number): Ledger {
  const request = ledger.open.find((each) => each.id === id);
  const { reminder } = request ?? {};
  if (request === undefined || reminder === undefined || reminder.at === null) return ledger;
  const due = Date.parse(reminder.at);
  if (due > nowMs) return ledger;
  const number = reminder.number + 1;
  const next = due + reminder.every_ms > nowMs ? due + reminder.every_ms : nowMs + reminder.every_ms;
  const at = number >= mostReminders ? null : new Date(next).toISOString();
  const reminded = { ...request, reminder: { ...reminder, at, number } };
  return replaceRequest(ledger, withDeliveries(reminded, 'reminder', number, nowMs));
}
