/**
 * The reducer that settles decisions. Pure: the ledger goes in, a new ledger and what came of it go out.
 * Where a decision and a deadline meet in one step, settle the decisions first: the decision wins.
 */
export { askUnreached } from './ledger/ask-unreached.js';
export { channelsOf, withDeliveries } from './ledger/begin-deliveries.js';
export { cancelRequest } from './ledger/cancel-request.js';
export { noteLateDelivery } from './ledger/closing-notices.js';
export { dueMessages, type DueMessage } from './ledger/due-messages.js';
export { emptyLedger } from './ledger/empty-ledger.js';
export { escalateRequest } from './ledger/escalate-request.js';
export { expireRequests, type Expiry } from './ledger/expire-requests.js';
export { keepVerdict } from './ledger/keep-verdict.js';
export { maxEarlyDecisions } from './ledger/ledger-limits.js';
export { findVerdict } from './ledger/find-verdict.js';
export { forgetAnswer } from './ledger/forget-answer.js';
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
