import type { Verdict } from '../decision.js';
import type { KeptVerdict, Ledger } from './ledger-shape.js';

/**
 * The newest verdict on the decision of that id; else what became of the request of that id: the verdict by which it was
 * decided, or the newest where it wasn't. null where none is kept.
 */
export function findVerdict(ledger: Ledger, decisionIdOrRequest: string): Verdict | null {
  const newest = (isIt: (verdict: KeptVerdict) => boolean): KeptVerdict | undefined =>
    ledger.verdicts.findLast(isIt);
  const ofRequest = ({ id }: KeptVerdict): boolean => id === decisionIdOrRequest;
  const kept =
    newest(({ decisionId }) => decisionId === decisionIdOrRequest) ??
    newest((verdict) => ofRequest(verdict) && verdict.outcome === 'accepted') ??
    newest(ofRequest);
  return kept === undefined ? null : { id: kept.id, outcome: kept.outcome, message: kept.message };
}
