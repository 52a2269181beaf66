import type { OpenTransaction } from '../scheduler/task.js';
import type { Bridge } from './bridge.js';

/** What a room does when a call begins that may yet be undone, and when it has ended. */
export interface TransactionPart {
  begin(bridge: Bridge, transaction: OpenTransaction): void;
  /**
   * @param isKept what has changed takes effect
   * @throws TactusError where it can't, and then nothing of it does
   */
  end(bridge: Bridge, transaction: OpenTransaction, isKept: boolean): void;
}

/** Of all rooms. Filled while the modules load, and never changed after that. */
const parts: TransactionPart[] = [];

export function addTransactionPart(part: TransactionPart): void {
  parts.push(part);
}

export function beginParts(bridge: Bridge, transaction: OpenTransaction): void {
  for (const part of parts) part.begin(bridge, transaction);
}

/** @throws TactusError */
export function endParts(bridge: Bridge, transaction: OpenTransaction, isKept: boolean): void {
  for (const part of parts) part.end(bridge, transaction, isKept);
}
