/**
 * The reducer that settles decisions. Pure: the ledger goes in, a new ledger and what came of it go out.
 * Where a decision and a deadline meet in one step, settle the decisions first: the decision wins.
 */
export { readAnswerValue } from './ledger/answers.js';
export {
  cancelRequest,
  defaultOf,
  noteLateDelivery,
  askUnreached,
  escalateRequest,
  expireRequests,
  nextTime,
  remindRequest,
  type Expiry,
} from './ledger/close-request.js';
export {
  dueMessages,
  forgetRests,
  nextMessages,
  noteDelivered,
  noteGone,
  noteUndelivered,
  withDeliveries,
  type DueMessage,
  type Undelivered,
} from './ledger/deliveries.js';
export {
  emptyLedger,
  findVerdict,
  forgetAnswer,
  keepVerdict,
  maxEarlyDecisions,
  type ClosedRequest,
  type EarlyDecision,
  type Ledger,
  type UnverifiedDecision,
} from './ledger/ledger-state.js';
export { openRequest } from './ledger/open-request.js';
export {
  parseDecision,
  parsePlainDecision,
  parseSignedDecision,
  refuseUnseen,
  takeEarly,
} from './ledger/check-decision.js';
export { postponeRequests } from './ledger/postpone-requests.js';
export { reachProblem } from './ledger/quorum.js';
export { settleDecision } from './ledger/settle-decision.js';
