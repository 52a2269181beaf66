import type { Decision } from '../decision.js';
import type { HumanRequest } from '../human-request.js';
import { checkDecision } from './check-decision.js';
import { closeRequest } from './close-request.js';
import { keepVerdict } from './keep-verdict.js';
import type { Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';
import type { Settlement } from './settlement.js';

/** Settles a decision on an open request. Its deadline doesn't count: until it was expired, a decision wins. */
export function settleOpen(
  ledger: Ledger,
  request: HumanRequest,
  decision: Decision,
  nowMs: number,
): Settlement {
  const checked = checkDecision(request, decision);
  if (checked.outcome !== 'accepted') {
    return { ...keepVerdict(ledger, decision, nowMs, checked.outcome, checked.message), answer: null };
  }
  const answer = {
    value: checked.answer.value,
    timed_out: false,
    by: decision.by ?? null,
    comment: decision.comment ?? checked.answer.comment,
  };
  const decisionId = decision.id ?? null;
  const closing = { how: 'decided', at: nowMs, answer, decisionId, given: decision.value } as const;
  const closed = closeRequest(ledger, request, closing);
  const message = `decided: ${quoteText(answer.value)}`;
  return { ...keepVerdict(closed, decision, nowMs, 'accepted', message), answer };
}
