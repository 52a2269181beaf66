import type { Verdict } from '../decision.js';
import type { Ledger } from './ledger-shape.js';

/** The newest verdict on the decision of that id, else on the request of that id; null where none is kept. */
export function findVerdict(ledger: Ledger, decisionIdOrRequest: string): Verdict | null {
  const kept =
    ledger.verdicts.findLast((verdict) => verdict.decisionId === decisionIdOrRequest) ??
    ledger.verdicts.findLast((verdict) => verdict.id === decisionIdOrRequest);
  return kept === undefined ? null : { id: kept.id, outcome: kept.outcome, message: kept.message };
}
