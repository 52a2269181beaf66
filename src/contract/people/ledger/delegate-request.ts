import type { Decision } from '../decision.js';
import type { Holds } from '../../engine.js';
import { withDeliveries } from './begin-deliveries.js';
import type { HumanRequest } from '../human-request.js';
import { fitsRequest, mayDecide, type Refused } from './check-decision.js';
import { keepVerdict } from './keep-verdict.js';
import type { Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';
import { reachProblem } from './reach-problem.js';
import { replaceRequest } from './replace-request.js';
import type { Settlement } from './settlement.js';

/** Hands a request to somebody else, who may decide from now on in place of whoever hands it on. */
export function delegateRequest(
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
