import type { DecisionOutcome, KnownDecision } from '../decision.js';
import { changesOf, newestEngine, type Holds } from '../../engine.js';
import type { Position } from '../../checkpoints/position.js';
import { hasPassed } from './has-passed.js';
import { keepEarly } from './keep-early.js';
import { keepVerdict } from './keep-verdict.js';
import type { Ledger } from './ledger-shape.js';
import { locateRequest } from './locate-request.js';
import { quoteText } from './quote-text.js';
import { settleClosed } from './settle-closed.js';
import { settleOpen } from './settle-open.js';
import type { Settlement } from './settlement.js';

/**
 * Settles one decision: every decision has exactly one outcome. `isPassed` says of a position, from the run's
 * log, that it is behind the run; without it only what the ledger itself proves counts as passed.
 */
export function settleDecision(
  ledger: Ledger,
  decision: KnownDecision,
  nowMs: number,
  isPassed: (position: Position) => boolean = () => false,
  holds: Holds = changesOf(newestEngine),
): Settlement {
  const refuse = (outcome: DecisionOutcome, message: string): Settlement => ({
    ...keepVerdict(ledger, decision, nowMs, outcome, message),
    answer: null,
  });
  const place = locateRequest(ledger.runId, decision.request);
  if ('problem' in place) return refuse('unknown', place.problem);

  const open = ledger.open.find(({ id }) => id === decision.request);
  if (open !== undefined) return settleOpen(ledger, open, decision, nowMs, holds);
  const closed = ledger.closed.find(({ id }) => id === decision.request);
  if (closed !== undefined) return settleClosed(ledger, closed, decision, nowMs);

  if (isPassed(place.position) || hasPassed(ledger, place.position)) {
    return refuse('unknown', `the run has passed ${quoteText(decision.request)}: no request is open there`);
  }
  return keepEarly(ledger, decision, nowMs);
}
