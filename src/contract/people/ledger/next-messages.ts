import { dueMessages, type DueMessage } from './due-messages.js';
import type { Ledger } from './ledger-shape.js';

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
