import type { Decision, KnownDecision } from '../decision.js';
import type { Holds } from '../../engine.js';
import type { HumanAnswer, HumanRequest } from '../human-request.js';
import { checkDecision, fitsRequest, mayDecide, type Refused } from './check-decision.js';
import { closeRequest } from './close-request.js';
import { deliveriesOf, withDeliveries } from './begin-deliveries.js';
import { keepVerdict } from './keep-verdict.js';
import type { Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';
import { replaceRequest } from './replace-request.js';
import type { Settlement } from './settlement.js';
import { countVote } from './vote.js';
import { reachProblem } from './reach-problem.js';

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

/** Hands a request to somebody else, who may decide from now on in place of whoever hands it on. */
function delegateRequest(
  ledger: Ledger,
  request: HumanRequest,
  decision: Decision,
  nowMs: number,
  holds: Holds,
): Settlement {
  const { by = '', to = '', comment = null } = decision;
  const approvers = [...request.approvers.filter((name) => name !== by && name !== to), to];
  const refused =
    mayDecide(request, decision) ??
    fitsRequest(request, decision) ??
    cantTake(request, decision) ??
    (holds('reachable-quorums') ? leavesTooFew({ ...request, approvers }, to) : null);
  if (refused !== null)
    return { ...keepVerdict(ledger, decision, nowMs, refused.outcome, refused.message), answer: null };
  const delegated = [...(request.delegated ?? []), { by, to, comment, at: new Date(nowMs).toISOString() }];
  const handed = withDeliveries({ ...request, approvers, delegated }, 'asked', 1 + delegated.length, nowMs);
  const next = replaceRequest(ledger, handed);
  return { ...keepVerdict(next, decision, nowMs, 'accepted', `handed to ${quoteText(to)}`), answer: null };
}

/** Handed on like this, the request would wait for ever. */
function leavesTooFew(handed: HumanRequest, to: string): Refused | null {
  const problem = reachProblem(handed);
  return problem === null
    ? null
    : { outcome: 'not_allowed', message: `handed to ${quoteText(to)}, it could not be decided: ${problem}` };
}

function cantTake(
  { requester, votes = [], approvers }: HumanRequest,
  { by = '', to = '' }: Decision,
): Refused | null {
  const refuse = (message: string): Refused => ({ outcome: 'not_allowed', message });
  if (by === '') return refuse('who hands a request on must say who that is');
  if (to === by) return refuse(`${quoteText(by)} has it already`);
  if (to === requester) return refuse(`${quoteText(to)} asks, and may not decide`);
  if (votes.some((vote) => vote.by === by)) return refuse(`${quoteText(by)} has decided already`);
  if (approvers.includes(to)) return refuse(`${quoteText(to)} is asked already`);
  return null;
}

/** Takes a request back: nobody is asked any more. Who asks may do so, and where nobody is known to ask, anybody. */
function withdrawRequest(
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
