import type { HumanRequest } from '../human-request.js';
import type { Ledger } from './ledger-shape.js';

/** The ledger with an open request as it is now. */
export function replaceRequest(ledger: Ledger, request: HumanRequest): Ledger {
  return { ...ledger, open: ledger.open.map((each) => (each.id === request.id ? request : each)) };
}
