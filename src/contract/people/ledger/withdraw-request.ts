import type { Decision } from '../decision.js';
import type { HumanRequest } from '../human-request.js';
import { deliveriesOf } from './begin-deliveries.js';
import { fitsRequest } from './check-decision.js';
import { closeRequest } from './close-request.js';
import { keepVerdict } from './keep-verdict.js';
import type { Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';
import type { Settlement } from './settlement.js';

/** Takes a request back: nobody is asked any more. Who asks may do so, and where nobody is known to ask, anybody. */
export function withdrawRequest(
  ledger: Ledger,
  request: HumanRequest,
  decision: Decision,
  nowMs: number,
): Settlement {
  const { by = null, comment = null, id: decisionId = null } = decision;
  const { requester } = request;
  const stranger = requester !== undefined && by !== requester;
  const message = `only ${quoteText(requester ?? '')}, who asks, may take the request back`;
  const refused = stranger ? ({ outcome: 'not_allowed', message } as const) : fitsRequest(request, decision);
  if (refused !== null)
    return { ...keepVerdict(ledger, decision, nowMs, refused.outcome, refused.message), answer: null };
  const answer = {
    ...({ value: null, timed_out: false, by, comment, withdrawn: true } as const),
    ...deliveriesOf(request),
  };
  const closed = closeRequest(ledger, request, { how: 'withdrawn', at: nowMs, answer, decisionId });
  return { ...keepVerdict(closed, decision, nowMs, 'accepted', 'taken back'), answer };
}
