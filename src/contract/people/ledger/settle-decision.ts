import type { Decision, DecisionOutcome, KnownDecision, Verdict } from '../decision.js';
import type { HumanAnswer, HumanRequest } from '../human-request.js';
import { changesOf, newestEngine, type Holds } from '../../engine.js';
import type { Position } from '../../checkpoints/checkpoint.js';
import {
  hasPassed,
  keepVerdict,
  maxEarlyBytes,
  maxEarlyDecisions,
  replaceRequest,
  type ClosedRequest,
  type EarlyDecision,
  type Ledger,
} from './ledger-state.js';
import { quoteText } from '../../text/plain-text.js';
import { checkDecision, fitsRequest, mayDecide, sizeProblem, type Refused } from './check-decision.js';
import { readAnswerValue } from './answers.js';
import { closeRequest } from './close-request.js';
import { deliveriesOf, withDeliveries } from './deliveries.js';
import { countVote, reachProblem } from './quorum.js';
import { canonicalJson, jsonSize, type JsonValue } from '../../json/json.js';
import { digestOf } from '../../effects/digest.js';

/** What one decision comes to. */
export interface Settlement {
  ledger: Ledger;
  verdict: Verdict;
  /** What the waiting procedure gets; null unless the decision is accepted. */
  answer: HumanAnswer | null;
}

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

/**
 * Settles a decision on an open request. Its deadline doesn't count: until it was expired, a decision wins. The moment after
 * which no decision counts does: a worker that was away when one came may be back only then.
 */
function settleOpen(
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

/** Settles a decision on a request that is closed: the same again is a duplicate, all else is late. */
function settleClosed(ledger: Ledger, closed: ClosedRequest, decision: Decision, nowMs: number): Settlement {
  const story = storyOf(closed);
  if (isDuplicate(closed, decision)) {
    // No verdict is kept: whoever looks for the first one by the same id shall find it.
    const verdict: Verdict = { id: decision.request, outcome: 'duplicate', message: `already ${story}` };
    return { ledger, verdict, answer: null };
  }
  return { ...keepVerdict(ledger, decision, nowMs, 'late', `too late: ${story}`), answer: null };
}

function isDuplicate(closed: ClosedRequest, decision: Decision): boolean {
  if (closed.how === 'withdrawn') return decision.action === 'withdraw';
  if (closed.how !== 'decided' || decision.action !== undefined) return false;
  if (decision.id !== undefined && decision.id === closed.decisionId) return true;
  if (decision.digest !== undefined && decision.digest !== closed.digest) return false;
  if (digestOf(decision.value) === (closed.givenDigest ?? closed.valueDigest)) return true;
  // The options are those of a request that is gone; a value that was taken is one of them.
  const read = readAnswerValue({ kind: closed.kind, options: [] }, decision.value);
  return typeof read !== 'string' && digestOf(read.value) === closed.valueDigest;
}

/** What happened to the request, by whom and when. */
function storyOf(closed: ClosedRequest): string {
  const at = `at ${new Date(closed.at).toISOString()}`;
  if (closed.how === 'cancelled') return `the request was withdrawn ${at}`;
  if (closed.how === 'timed_out') return `the time was over ${at}, and ${closed.valueText} was taken`;
  const by = closed.by === null ? '' : ` by ${quoteText(closed.by)}`;
  if (closed.how === 'withdrawn') return `the request was taken back${by} ${at}`;
  return `decided${by} ${at}: ${closed.valueText}`;
}

/** Keeps a decision on a request that isn't open yet; `openRequest` settles it. */
function keepEarly(ledger: Ledger, decision: KnownDecision, nowMs: number): Settlement {
  if (ledger.early.some((kept) => isSame(kept, decision))) {
    const message = 'already kept until its request is open';
    return { ledger, verdict: { id: decision.request, outcome: 'duplicate', message }, answer: null };
  }
  const oversize = sizeProblem(decision);
  if (oversize !== null)
    return { ...keepVerdict(ledger, decision, nowMs, 'invalid', oversize), answer: null };

  const early: EarlyDecision[] = [...ledger.early, { ...decision, at: nowMs }];
  if (early.length > maxEarlyDecisions || early.reduce(addSize, 0) > maxEarlyBytes) {
    const message =
      `request ${quoteText(decision.request)} isn't open, and too many early decisions are kept already: ` +
      'this one was not kept, send it again once the request is open';
    return { ...keepVerdict(ledger, decision, nowMs, 'unknown', message), answer: null };
  }
  const message = `request ${quoteText(decision.request)} isn't open yet: the decision is kept until it is`;
  return { ...keepVerdict({ ...ledger, early }, decision, nowMs, 'early', message), answer: null };
}

/** By its id, or, without one, in all its parts: two people may send the same value, and only one may be allowed to. */
function isSame(kept: EarlyDecision, decision: Decision): boolean {
  if (kept.request !== decision.request || kept.id !== decision.id) return false;
  return decision.id !== undefined || canonicalJson(partsOf(kept)) === canonicalJson(partsOf(decision));
}

function partsOf({ value, by, comment, digest, action, to }: Decision): JsonValue {
  const more = action === undefined ? [] : [action, to ?? null];
  return [value, by ?? null, comment ?? null, digest ?? null, ...more];
}

function addSize(sum: number, decision: EarlyDecision): number {
  return sum + jsonSize([decision.request, decision.id ?? null, partsOf(decision)]);
}

/** The server takes no longer workflow ids; the message has to name the run in full. */
const longestRunId = 1_000;

const positionPattern = /^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8}))*$/;

/**
 * The position that a request id of this run names, or why it names none. A run's own id may hold slashes, so
 * only what follows it counts; `<run>/<position>/<position>` is a request of a child run.
 */
function locateRequest(runId: string, id: string): { position: Position } | { problem: string } {
  if (id.startsWith(`${runId}/`)) {
    const position = id.slice(runId.length + 1);
    if (positionPattern.test(position)) return { position };
  }
  const slash = id.lastIndexOf('/');
  if (slash <= 0 || !positionPattern.test(id.slice(slash + 1))) {
    return { problem: `${quoteText(id)} is not the id of a request, which reads <run>/<position>` };
  }
  const owner = quoteText(id.slice(0, slash), longestRunId);
  return { problem: `request ${quoteText(id)} belongs to run ${owner}: send the decision to that run` };
}
