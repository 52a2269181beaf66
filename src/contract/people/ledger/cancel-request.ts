import { closeRequest } from './close-request.js';
import type { Ledger } from './ledger-shape.js';

/** Withdraws an open request: the branch or the run that asked is gone. Of others nothing changes. */
export function cancelRequest(ledger: Ledger, id: string, nowMs: number): Ledger {
  const request = ledger.open.find((open) => open.id === id);
  if (request === undefined) return ledger;
  return closeRequest(ledger, request, { how: 'cancelled', at: nowMs, answer: null, decisionId: null });
}
