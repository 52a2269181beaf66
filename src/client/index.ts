/** The door of the room for other rooms: starts, reads, answers and lists runs. Storages, files of procedures and whole logs have doors of their own. */
export {
  howCallEnded,
  refuseStuck,
  stuckError,
  stuckOf,
  stuckText,
  type EndedCall,
  type Retrying,
  type Stuck,
} from './health/trouble.js';
export { hasLiveWorker, type Unserved } from './health/pollers.js';
export {
  dropDeadLetter,
  findDeadLetter,
  listDeadLetters,
  requeueDeadLetter,
} from './dead-letters/dead-letters.js';
export type { DeadLetter } from '../contract/dead-letters/dead-letter.js';
export { readGraphState, readSuperSteps, type GraphView } from './graphs/graph-state.js';
export { filteredLedger } from './storage/ledger.js';
export { planRollOut, rollBack, rollOut, type RolledOut, type RollOutOrder } from './deployments/roll-out.js';
export { Readiness, temporalProbe, type Probe } from './health/readiness.js';
export { findTrouble, stuckAmong, unknownSignals, type Trouble } from './health/find-trouble.js';
export { packAnswers } from './lists/last-answers.js';
export { listRuns } from './lists/list-runs.js';
export {
  claimIndex,
  reconcileIndex,
  checkIndex,
  feederBeatMs,
  freshenIndex,
  isFresh,
  lostFeeders,
} from './lists/reconcile-index.js';
export {
  attributesOfRuns,
  knownBut,
  knownSearchAttributes,
  missingSearchAttributes,
  registerSearchAttributes,
} from './lists/search-attributes.js';
export {
  latestOf,
  listedSince,
  quote,
  serverPages,
  isUpToDate,
  serverRun,
  serverRunWithEnd,
  type ListedRun,
} from './lists/server-runs.js';
export { proveWaiting } from './changes/prove.js';
export { claimsInUse, namespacesOf } from './payloads/claims-in-use.js';
export { encodes, isPayloadStore, keepsLargeElsewhere } from './payloads/has-payload-store.js';
export { byCreation, openRequests, runIdOf, type Missing } from './people/open-requests.js';
export { HeldTargets, HoldsReader } from './changes/holds.js';
export type { Comparison } from './scores/compare.js';
export { PublishedSources } from './procedures/published-sources.js';
export { queryRun } from './runs/messages.js';
export { readSnapshot, type ReadRun } from './runs/snapshot.js';
export { faultText, grpcErrorOf, ifThere, isUnanswered } from './runs/run-errors.js';
export { assertSameStart, differenceOf, startOfRun, type StartOptions } from './runs/start-input.js';
export {
  askingWithin,
  describeRun,
  isOpenRun,
  endOf,
  parentOf,
  viewRun,
  type Asking,
  type RunReport,
} from './runs/view-run.js';
export { PollInterval, waitUntilClosed } from './runs/wait-until-closed.js';
export { eachLimit } from './concurrency.js';
export { namespaceIdOf } from './server/server-calls.js';
export { TactusClient } from './tactus-client.js';
export type { TactusRun } from './tactus-run.js';
export type { ListedSchedule, ScheduleTimes } from './time/procedure-schedules.js';
