import { defined } from '../../json/json.js';
import { changesOf, newestEngine, type Holds } from '../../engine.js';
import { quoteText } from '../../text/plain-text.js';
import { namesPeople, type HumanAnswer, type HumanRequest } from '../human-request.js';
import { hasPassed, keepVerdict, replaceRequest, type Ledger } from './ledger-state.js';
import { reachProblem } from './quorum.js';
import { settleDecision } from './settle-decision.js';

export interface Opening {
  ledger: Ledger;
  /** Set where the request is decided already: nobody needs to be asked. */
  answer: HumanAnswer | null;
}

/**
 * Opens a request, and settles the early decisions on it: the first valid one wins. A run that continued as new
 * asks again for what it had open: the request then keeps its times, and gives its answer if it was closed
 * meanwhile. With another digest it is another question, which nobody has answered yet.
 */
export function openRequest(
  ledger: Ledger,
  request: HumanRequest,
  nowMs: number,
  holds: Holds = changesOf(newestEngine),
): Opening {
  const open = ledger.open.find(({ id }) => id === request.id);
  if (open?.digest === request.digest) {
    return { ledger: replaceRequest(ledger, again(request, open, holds)), answer: null };
  }
  const closed = ledger.closed.find(({ id }) => id === request.id);
  if (closed !== undefined && closed.answer !== null && closed.digest === request.digest) {
    return { ledger, answer: closed.answer };
  }
  return settleEarly(withOpen(ledger, request), request, nowMs, holds);
}

function again(request: HumanRequest, open: HumanRequest, holds: Holds): HumanRequest {
  return holds('reachable-quorums') ? goOnWith(request, open) : { ...request, ...cameTo(open) };
}

function withOpen(ledger: Ledger, request: HumanRequest): Ledger {
  const isOther = ({ id }: { id: string }): boolean => id !== request.id;
  const open = [...ledger.open.filter(isOther), request];
  return { ...ledger, open, closed: ledger.closed.filter(isOther) };
}

const unseen =
  "it came before the request was open, and doesn't name the digest of what it shows: look at it, and decide again";

/** Of an answer that is bound to nothing that was shown, the answer says so, and it doesn't count where it matters who decides: of them it is expected that they have seen it. */
function settleEarly(ledger: Ledger, request: HumanRequest, nowMs: number, holds: Holds): Opening {
  const { id } = request;
  const early = ledger.early.filter((decision) => decision.request === id);
  let next: Ledger = { ...ledger, early: ledger.early.filter((decision) => decision.request !== id) };
  let answer: HumanAnswer | null = null;
  for (const decision of early) {
    const isUnseen = holds('early-decisions') && decision.digest === undefined;
    if (isUnseen && namesPeople(request)) {
      next = keepVerdict(next, decision, nowMs, 'not_allowed', unseen).ledger;
      continue;
    }
    const known = isUnseen ? { ...decision, unseen: true as const } : decision;
    const settled = settleDecision(next, known, nowMs, undefined, holds);
    const { outcome, message } = settled.verdict;
    // Elsewhere duplicates leave no verdict; here the one that says `early` must not be the last word.
    const isDuplicate = outcome === 'duplicate';
    next = isDuplicate ? keepVerdict(next, decision, nowMs, outcome, message).ledger : settled.ledger;
    answer ??= settled.answer;
  }
  return { ledger: dropPassed(next, nowMs), answer };
}

/** Tells those who decided on a position that now lies behind the run, and makes room for others. */
function dropPassed(ledger: Ledger, nowMs: number): Ledger {
  let next = ledger;
  for (const decision of ledger.early) {
    if (!hasPassed(ledger, decision.request.slice(ledger.runId.length + 1))) continue;
    const message = `the run has passed ${quoteText(decision.request)}: no request was open there`;
    const early = next.early.filter((kept) => kept !== decision);
    next = keepVerdict({ ...next, early }, decision, nowMs, 'unknown', message).ledger;
  }
  return next;
}

/**
 * A request that a run asks for again, with what had become of it. Where other people are to decide now than when it was opened, as
 * in a changed procedure, what those said counts who may still decide, and what was handed on by them holds; unless too few
 * could decide it then.
 */
function goOnWith(request: HumanRequest, open: HumanRequest): HumanRequest {
  const merged = { ...request, ...cameTo(open) };
  if (isSameCircle(request, merged) && reachProblem(merged) === null) return merged;
  const { delegated = [], votes, ...others } = merged;
  const asked = (merged.escalation ?? []).filter((stage) => stage.asked).flatMap(({ to }) => to);
  const back = request.approvers.length === 0 ? [] : [...new Set([...request.approvers, ...asked])];
  const counting = (approvers: string[]): HumanRequest => ({
    ...{ ...others, approvers },
    ...(votes === undefined ? {} : { votes: votes.filter(({ by }) => mayDecide(by, request, approvers)) }),
  });
  const held: typeof delegated = [];
  let approvers = back;
  for (const each of delegated) {
    if (!mayDecide(each.by, request, approvers) || !mayDecide(each.to, request, [])) continue;
    approvers = [...approvers.filter((name) => name !== each.by && name !== each.to), each.to];
    held.push(each);
  }
  const handed = { ...counting(approvers), ...(held.length === 0 ? {} : { delegated: held }) };
  return reachProblem(handed) === null ? handed : counting(back);
}

function mayDecide(by: string, { requester }: HumanRequest, approvers: readonly string[]): boolean {
  return by !== requester && (approvers.length === 0 || approvers.includes(by));
}

/** Whether those who may decide come of those whom the request names now. */
function isSameCircle(
  { approvers: named, requester }: HumanRequest,
  { approvers, escalation = [], delegated = [], votes = [] }: HumanRequest,
): boolean {
  const asked = escalation.filter((stage) => stage.asked).flatMap(({ to }) => to);
  const come = new Set([...named, ...asked, ...delegated.map(({ to }) => to)]);
  const there = new Set([...approvers, ...delegated.map(({ by }) => by)]);
  return (
    approvers.every((name) => come.has(name)) &&
    named.every((name) => there.has(name)) &&
    votes.every(({ by }) => by !== requester && (named.length === 0 || come.has(by)))
  );
}

/** What has become of a request since it was opened. */
function cameTo({
  created_at,
  deadline,
  votes,
  escalation,
  delegated,
  approvers,
  reminder,
  deliveries,
}: HumanRequest): Partial<HumanRequest> {
  const isElsewhere = escalation !== undefined || delegated !== undefined;
  return {
    ...{ created_at, deadline },
    ...defined({ votes, escalation, delegated }),
    ...(isElsewhere ? { approvers } : {}),
    ...defined({ reminder, deliveries }),
  };
}
