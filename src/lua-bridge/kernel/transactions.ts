import type { OpenTransaction } from '../scheduler/task.js';
import type { LuaState } from '../vm/fengari.js';
import type { Bridge, Step } from './bridge.js';

/** What a room does when a call begins that may yet be undone, and when it has ended; both in the frame of the call. */
export interface TransactionPart {
  begin(bridge: Bridge, L: LuaState, transaction: OpenTransaction): void;
  /**
   * Ends it, once: what has ended is no longer there.
   * @param isKept what has changed takes effect
   */
  end(bridge: Bridge, L: LuaState, transaction: OpenTransaction, isKept: boolean): void;
  /** What it does once what has changed has taken effect; left out: nothing. */
  told?(bridge: Bridge, L: LuaState): Generator<Step, void, unknown>;
  /** Whether it may find, at the end, that what has changed can't take effect: it is asked before all others. */
  mayRefuse: boolean;
}

/** Of all rooms. Filled while the modules load, and never changed after that. */
const parts: TransactionPart[] = [];

export function addTransactionPart(part: TransactionPart): void {
  if (part.mayRefuse) parts.unshift(part);
  else parts.push(part);
}

export function beginParts(bridge: Bridge, L: LuaState, transaction: OpenTransaction): void {
  for (const part of parts) part.begin(bridge, L, transaction);
}

/** @throws TactusError where what has changed can't take effect, and then nothing does */
export function endParts(bridge: Bridge, L: LuaState, transaction: OpenTransaction, isKept: boolean): void {
  for (const part of parts) part.end(bridge, L, transaction, isKept);
}

/** After `endParts`, where what has changed is kept. */
export function* tellParts(bridge: Bridge, L: LuaState): Generator<Step, void, unknown> {
  for (const part of parts) if (part.told !== undefined) yield* part.told(bridge, L);
}
