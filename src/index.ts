/** For applications: starts, answers and reads runs. Nothing here runs a procedure, so no worker is loaded. */
export type { TactusClientOptions } from './client/client-options.js';
export { TactusClient } from './client/tactus-client.js';
export type { ExecuteProcedureOptions } from './client/runs/awaited-result.js';
export type { TraceContext } from './contract/traces/trace-context.js';
export type { RunPriority } from './client/runs/priority.js';
export type { StartOptions } from './client/runs/start-input.js';
export type { ListedSchedule, ProcedureSchedules, ScheduleTimes } from './client/time/procedure-schedules.js';
export type { PublishedOptions, PublishedProcedures, PublishOptions } from './client/procedures/published.js';
export type { Prompts } from './contract/procedures/prompts.js';
export type { ComparedGroup, CompareOptions, Comparison } from './client/scores/compare.js';
export type { ScoreOptions, ScoresOfRuns } from './client/scores/run-scores.js';
export { TactusRun, type StreamOptions } from './client/tactus-run.js';
export type { Consent } from './client/changes/change-plan.js';
export {
  upgradeRun,
  upgradeRuns,
  type UpgradedRun,
  type UpgradeManyOptions,
  type UpgradeOptions,
  type OpenRunsOf,
} from './client/changes/upgrade.js';
export type { ChangeKind, ChangeRecord, Terms } from './contract/changes/run-change.js';
export type { RetryOptions } from './client/changes/retry.js';
export { rewindRun, type RewindOptions } from './client/changes/rewind.js';
export {
  retryRuns,
  forkRuns,
  rewindRuns,
  type ChangedRun,
  type FailedRuns,
  type ManyRuns,
} from './client/changes/failed-runs.js';
export type { Told } from './client/changes/go-on.js';
export type { Fork, ForkOptions } from './client/runs/read-fork.js';
export { backtest, estimateTrials, type BacktestOptions } from './client/changes/backtest.js';
export type { TrialOptions } from './client/changes/trial.js';
export {
  exportedRun,
  pastRun,
  pastRuns,
  type PastRun,
  type PastRunFilter,
  type PastRunPlace,
} from './client/changes/past-runs.js';
export type { BacktestedRun, BacktestReport, BacktestVerdict, LogEnd } from './contract/changes/backtest.js';
export type { TrialMode } from './contract/changes/trial.js';
export { diffRuns } from './client/changes/diff-runs.js';
export type { ComparedEntry, RunDiff } from './contract/changes/run-diff.js';
export type { ChangePlan, ChildFate } from './contract/changes/plan.js';
export type { AskedClass } from './contract/effects/define-effect.js';
export type { AskedAgain, ChangedSettings, Divergence, RequestFate } from './contract/changes/proof.js';
export type { Import, ImportOptions } from './client/runs/import/read-import.js';
export type { AskedFirst, Proof } from './client/runs/import/prove-fits.js';
export type { CarriedStart } from './client/runs/carried-start.js';
export { readArchive, type Archive } from './client/runs/archive.js';
export { collectSource } from './sources/collect-source.js';
export type { FileValidation } from './client/procedures/validate-file.js';
export { validateFile } from './testing/validate-file.js';
export {
  reconcileIndex,
  type Ask,
  type ReconcileOptions,
  type Reconciled,
  type Unasked,
} from './client/lists/reconcile-index.js';
export {
  reconcileStorage,
  type StorageReconciled,
  type StorageReconcileOptions,
  type RecordFinding,
} from './client/storage/reconcile-storage.js';
export type { Asking } from './client/runs/view-run.js';
export type { ListedRun } from './client/lists/server-runs.js';
export type { RunIdFilter, RunCounts, ListPage, RequestList, RunList } from './client/lists/list-runs.js';
export { openRunIndex } from './read-model/open-run-index.js';
export type {
  Feeder,
  IndexChange,
  KeptAnswers,
  IndexCounts,
  OpenCounts,
  IndexedIdFilter,
  IndexedRequest,
  IndexedRequestFilter,
  IndexedRun,
  IndexedRunFilter,
  IndexPage,
  Paged,
  RunCountFilter,
  RunIndex,
  ServerRun,
} from './read-model/run-index.js';
export type { RunReport } from './client/runs/view-run.js';
export type { Unserved } from './client/health/pollers.js';
export type { Retrying, Stuck } from './client/health/trouble.js';
export { FileStorage } from './client/storage/file-storage.js';
export { openStorage } from './client/storage/open-storage.js';
export { LambdaDurableStorage } from './client/storage/lambda/lambda-durable-storage.js';
export type { DurableContext } from './client/storage/lambda/durable-context-storage.js';
export { TemporalStorage } from './client/storage/temporal-storage.js';
export { EncodedStorage } from './client/storage/encoded-storage.js';
export { MemoryStorage } from './client/storage/memory-storage.js';
export type { Awaitable, StorageBackend, CheckpointFilter } from './client/storage/storage-backend.js';
export type {
  CheckpointEntry,
  ProcedureMetadata,
  SourceLocation,
  MirrorMark,
} from './client/storage/procedure-metadata.js';
export {
  TactusRuntime,
  type ExecuteOptions,
  type ResumeOptions,
  type TactusRuntimeOptions,
  type RuntimeResult,
  type HITLRequest,
  type HITLResponse,
} from './client/runs/runtime/tactus-runtime.js';
export {
  hasCode,
  TactusError,
  type CommonDetails,
  type DetailsOf,
  type ErrorCode,
  type ErrorDetails,
  type NamedCheckpoint,
  type RunError,
} from './contract/errors.js';
export type { Amounts, Budget, BudgetEnd, BudgetMeasure, BudgetView } from './contract/budgets/budget.js';
export type { Steering } from './contract/agents/steer-effect.js';
export type { HeldTargets, HoldOptions, ReleaseOptions } from './client/changes/holds.js';
export type { Hold, HoldView } from './contract/changes/hold.js';
export type { ForkedFrom } from './contract/changes/forked-from.js';
export type { PauseAnswer } from './contract/changes/pause-answer.js';
export type { PauseRequest, PauseView, StartPause } from './contract/changes/pause.js';
export type { CancellingView } from './contract/runs/cancelling.js';
export type { Decision, DecisionOutcome, Verdict } from './contract/people/decision.js';
export type {
  Delegation,
  Escalation,
  HumanChoice,
  HumanForm,
  HumanItem,
  HumanRequest,
  HumanRequestKind,
  OptionValue,
  RequestHints,
  RequestOrigin,
  Vote,
} from './contract/people/human-request.js';
export type { JsonObject, JsonValue } from './contract/json/json.js';
export type { Limits } from './contract/runs/limits.js';
export type { Delivery, Reminder, TellReason } from './contract/people/channels/channel.js';
export type { AuthorityMode, VerificationKey, VerificationKeys } from './contract/authority/authority.js';
export {
  signDecision,
  verifyDecision,
  type SigningOptions,
  type Verified,
  type VerifyingOptions,
} from './authority/signed-decisions.js';
export {
  signingKeyOfPem,
  signingKeyOfSecret,
  generateKey,
  type SigningKey,
  type GeneratedKey,
} from './authority/signature.js';
export type { DecidedRun, Refused } from './contract/authority/approval-token.js';
export type {
  LedgerEventView,
  LedgerFilter,
  LedgerRow,
  NumberedLedgerEvent,
} from './contract/graphs/ledger.js';
export type { LedgerEvent } from './contract/graphs/super-step.js';
export type { CallUsage, FinishReason, Usage } from './contract/models/model-call.js';
export type { RunSettings } from './contract/runs/run-settings.js';
export type { SourceLine } from './contract/checkpoints/checkpoint.js';
export type {
  LastAnswers,
  LogEntryView,
  LogPage,
  PassView,
  RunView,
  RunVersion,
  ToldRun,
  LogLevel,
  Shown,
  ShownPage,
  Warning,
  RunStatus,
  Wait,
} from './contract/runs/run-view.js';
export type { PublishedAs, PublishedProcedure, PublishedVersion } from './contract/procedures/published.js';
export type { FoundVersion, ProcedureSource } from './contract/procedures/source.js';
export type { KnownAttributes, ParentRun, StartInput, RunStarted } from './contract/runs/start-input.js';
export type { NamespaceAttributes } from './client/lists/search-attributes.js';
export type { Labels } from './contract/runs/labels.js';
export type { Decisions, EndMarks, Marks } from './contract/runs/marks.js';
export type { Estimate } from './contract/scores/estimate.js';
export type { RunScores, Score, ScoreValue } from './contract/scores/score.js';
export type { Pass } from './contract/runs/pass.js';
export { MemoryStreams } from './streams/memory-streams.js';
export { NatsStreams, type NatsOptions } from './streams/nats-streams.js';
export type { ReadOptions, RunStreams, StreamPublisher, StreamReader } from './streams/run-streams.js';
export type { StoredEvent, StreamedBy, StreamEvent } from './contract/streams/stream-event.js';
export type { ProcedureSummary } from './lua-bridge/describe.js';
export type { Diagnostic, Severity } from './validation/index.js';
