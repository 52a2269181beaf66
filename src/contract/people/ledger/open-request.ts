import { changesOf, newestEngine, type Holds } from '../../engine.js';
import type { HumanAnswer, HumanRequest } from '../human-request.js';
import { cameTo, goOnWith } from './go-on-with.js';
import { hasPassed } from './has-passed.js';
import { keepVerdict } from './keep-verdict.js';
import type { Ledger } from './ledger-shape.js';
import { namesPeople } from './names-people.js';
import { quoteText } from './quote-text.js';
import { replaceRequest } from './replace-request.js';
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
