import type { KnownDecision } from '../decision.js';
import type { Holds } from '../../engine.js';
import type { HumanAnswer, HumanRequest } from '../human-request.js';
import { checkDecision } from './check-decision.js';
import { closeRequest } from './close-request.js';
import { deliveriesOf } from './begin-deliveries.js';
import { delegateRequest } from './delegate-request.js';
import { keepVerdict } from './keep-verdict.js';
import type { Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';
import { replaceRequest } from './replace-request.js';
import type { Settlement } from './settlement.js';
import { countVote } from './vote.js';
import { withdrawRequest } from './withdraw-request.js';

/**
 * Settles a decision on an open request. Its deadline doesn't count: until it was expired, a decision wins. The moment after
 * which no decision counts does: a worker that was away when one came may be back only then.
 */
export function settleOpen(
  ledger: Ledger,
  request: HumanRequest,
  decision: KnownDecision,
  nowMs: number,
  holds: Holds,
): Settlement {
  if (request.expires_at !== undefined && Date.parse(request.expires_at) <= nowMs) {
    const message = `too late: no decision counts since ${request.expires_at}`;
    return { ...keepVerdict(ledger, decision, nowMs, 'late', message), answer: null };
  }
  if (decision.action === 'withdraw') return withdrawRequest(ledger, request, decision, nowMs);
  if (decision.action === 'delegate') return delegateRequest(ledger, request, decision, nowMs, holds);
  const checked = checkDecision(request, decision, holds);
  if (checked.outcome !== 'accepted') {
    return { ...keepVerdict(ledger, decision, nowMs, checked.outcome, checked.message), answer: null };
  }
  const comment = decision.comment ?? checked.answer.comment;
  const verified = decision.verified === true ? { by_verified: true as const } : {};
  const answer = {
    ...{ value: checked.answer.value, timed_out: false, by: decision.by ?? null, comment },
    ...verified,
    ...(decision.unseen === true ? { early: true as const } : {}),
    ...deliveriesOf(request),
  };
  if (request.quorum === undefined) return decided(ledger, request, decision, answer, nowMs);

  const by = decision.by ?? '';
  const counted = countVote(request, { by, value: answer.value, comment, at: new Date(nowMs).toISOString() });
  switch (counted.kind) {
    case 'same':
      return {
        ledger,
        verdict: { id: request.id, outcome: 'duplicate', message: counted.message },
        answer: null,
      };
    case 'open': {
      const next = replaceRequest(ledger, { ...request, votes: counted.votes });
      return { ...keepVerdict(next, decision, nowMs, 'accepted', counted.message), answer: null };
    }
    case 'decided': {
      const { by: names, votes } = counted;
      return decided(ledger, request, decision, { ...answer, by: names, votes }, nowMs);
    }
  }
}

function decided(
  ledger: Ledger,
  request: HumanRequest,
  decision: KnownDecision,
  answer: HumanAnswer,
  nowMs: number,
): Settlement {
  const decisionId = decision.id ?? null;
  const closing = { how: 'decided', at: nowMs, answer, decisionId, given: decision.value } as const;
  const closed = closeRequest(ledger, request, closing);
  const message = `decided: ${quoteText(answer.value)}`;
  return { ...keepVerdict(closed, decision, nowMs, 'accepted', message), answer };
}
