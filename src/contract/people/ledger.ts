import type { Verdict } from './decision.js';
import type { HumanAnswer, HumanRequest } from './human-request.js';
import { deliveriesOf, withDeliveries } from './ledger/begin-deliveries.js';
import { closeRequest } from './ledger/close-request.js';
import type { Ledger } from './ledger/ledger-shape.js';
import { readAnswerValue } from './ledger/read-answer-value.js';
import { replaceRequest } from './ledger/replace-request.js';

/**
 * The reducer that settles decisions. Pure: the ledger goes in, a new ledger and what came of it go out.
 * Where a decision and a deadline meet in one step, settle the decisions first: the decision wins.
 */
export { channelsOf, withDeliveries } from './ledger/begin-deliveries.js';
export { noteLateDelivery } from './ledger/closing-notices.js';
export { dueMessages, type DueMessage } from './ledger/due-messages.js';
export { keepVerdict } from './ledger/keep-verdict.js';
export { maxEarlyDecisions } from './ledger/ledger-limits.js';
export type {
  ClosedRequest,
  EarlyDecision,
  KeptVerdict,
  Ledger,
  UnverifiedDecision,
} from './ledger/ledger-shape.js';
export { refuseUnseen, takeEarly } from './ledger/meant-early.js';
export { nextDeadline } from './ledger/next-deadline.js';
export { nextMessages } from './ledger/next-messages.js';
export { nextTime } from './ledger/next-time.js';
export {
  forgetRests,
  noteDelivered,
  noteGone,
  noteUndelivered,
  type Undelivered,
} from './ledger/note-delivery.js';
export { openRequest, type Opening } from './ledger/open-request.js';
export { readAnswerValue } from './ledger/read-answer-value.js';
export { parseDecision, parsePlainDecision, parseSignedDecision } from './ledger/parse-decision.js';
export { reachProblem } from './ledger/reach-problem.js';
export { remindRequest } from './ledger/remind-request.js';
export { settleDecision } from './ledger/settle-decision.js';
export type { Settlement } from './ledger/settlement.js';

/**
 * Where nobody could be told of a request whose policy says so, those are asked now whose turn would be next, once. Those after them
 * move up by the same time, so that each stage has its own time; the end stays, for a channel that is down must not bring it nearer.
 */
export function askUnreached(ledger: Ledger, nowMs: number): { ledger: Ledger; moved: string[] } {
  const moved = ledger.open.filter(isUnreached);
  const next = moved.reduce((asked, request) => replaceRequest(asked, askNext(request, nowMs)), ledger);
  return { ledger: next, moved: moved.map(({ id }) => id) };
}

function isUnreached({ on_undelivered: policy, escalation = [], deliveries = [] }: HumanRequest): boolean {
  if (policy !== 'escalate' || escalation.some(({ because }) => because !== undefined)) return false;
  const first = deliveries.filter(({ reason, number }) => reason === 'asked' && number === 1);
  return (
    first.length > 0 &&
    first.every(({ status }) => status === 'undelivered') &&
    escalation.some(({ asked }) => !asked)
  );
}

function askNext(request: HumanRequest, nowMs: number): HumanRequest {
  const { escalation = [] } = request;
  const first = escalation.find(({ asked }) => !asked);
  const earlier = first === undefined ? 0 : Math.max(0, Date.parse(first.at) - nowMs);
  const stages = escalation.map((stage) => {
    if (stage.asked) return stage;
    const at = new Date(Date.parse(stage.at) - earlier).toISOString();
    return { ...stage, at, ...(stage === first ? { because: 'undelivered' as const } : {}) };
  });
  return askStages({ ...request, escalation: stages }, nowMs);
}

/** Withdraws an open request: the branch or the run that asked is gone. Of others nothing changes. */
export function cancelRequest(ledger: Ledger, id: string, nowMs: number): Ledger {
  const request = ledger.open.find((open) => open.id === id);
  if (request === undefined) return ledger;
  return closeRequest(ledger, request, { how: 'cancelled', at: nowMs, answer: null, decisionId: null });
}

/** The ledger of a run that has asked nobody yet. */
export function emptyLedger(runId: string): Ledger {
  return { runId, open: [], closed: [], early: [], verdicts: [] };
}

/** Asks those besides whose turn it is. Who was asked before may decide as well; where anybody may, that stays so. */
export function escalateRequest(ledger: Ledger, id: string, nowMs: number): Ledger {
  const request = ledger.open.find((each) => each.id === id);
  if (request?.escalation === undefined) return ledger;
  return replaceRequest(ledger, askStages(request, nowMs));
}

/** The request with those asked whose time has come, and messages to them. */
function askStages(request: HumanRequest, nowMs: number): HumanRequest {
  const { escalation: before = [] } = request;
  const escalation = before.map((each) => ({ ...each, asked: Date.parse(each.at) <= nowMs }));
  const asked = escalation.filter((each) => each.asked).flatMap(({ to }) => to);
  const approvers = request.approvers.length === 0 ? [] : [...new Set([...request.approvers, ...asked])];
  return escalation.reduce<HumanRequest>(
    (told, stage, index) =>
      stage.asked && before[index]?.asked === false
        ? withDeliveries(told, 'escalated', index + 1, nowMs)
        : told,
    { ...request, escalation, approvers },
  );
}

export interface Expiry {
  ledger: Ledger;
  /** Requests whose time is over, with what their procedures get. */
  expired: { id: string; answer: HumanAnswer }[];
}

/** Closes every request whose deadline has come, with its default. Settle the decisions of the same step first. */
export function expireRequests(ledger: Ledger, nowMs: number): Expiry {
  const expired: Expiry['expired'] = [];
  let next = ledger;
  for (const request of ledger.open) {
    if (request.deadline === null || Date.parse(request.deadline) > nowMs) continue;
    const answer = {
      ...{ value: defaultOf(request), timed_out: true, by: null, comment: null },
      ...deliveriesOf(request),
    };
    next = closeRequest(next, request, { how: 'timed_out', at: nowMs, answer, decisionId: null });
    expired.push({ id: request.id, answer });
  }
  return { ledger: next, expired };
}

/** In the form that a decision of the same value would have; an approval is a boolean whatever its default is. */
function defaultOf(request: HumanRequest): HumanAnswer['value'] {
  if (request.on_timeout === 'error') return null;
  const { kind, form } = request;
  const readable = { kind, options: [], ...(form === undefined ? {} : { form }) };
  const read = readAnswerValue(readable, request.default);
  if (typeof read !== 'string') return read.value;
  return request.kind === 'approval' ? false : request.default;
}

/** The newest verdict on the decision of that id, else on the request of that id; null where none is kept. */
export function findVerdict(ledger: Ledger, decisionIdOrRequest: string): Verdict | null {
  const kept =
    ledger.verdicts.findLast((verdict) => verdict.decisionId === decisionIdOrRequest) ??
    ledger.verdicts.findLast((verdict) => verdict.id === decisionIdOrRequest);
  return kept === undefined ? null : { id: kept.id, outcome: kept.outcome, message: kept.message };
}

/** Drops the answer of a closed request: call it once the answer stands in the log, which holds it from then on. */
export function forgetAnswer(ledger: Ledger, id: string): Ledger {
  const closed = ledger.closed.map((entry) => (entry.id === id ? { ...entry, answer: null } : entry));
  return { ...ledger, closed };
}
