import type { Hold, HoldTerms } from './changes/hold.js';
import type { ProofResult } from './changes/proof.js';
import type { TellPeopleInput, TellPeopleResult } from './people/channels/tell-people.js';
import type { Outcome, Position } from './checkpoints/checkpoint.js';
import type { Decision } from './people/decision.js';
import type { DataFileEffect } from './files/data-file-effect.js';
import type { FileEffect } from './files/file-effect.js';
import type { ErrorCode } from './errors.js';
import type { IntentOutcome } from './graphs/intent-effect.js';
import type { Intent } from './graphs/super-step.js';
import type { HttpRequest, HttpResponse } from './http/http-request.js';
import type { JsonValue } from './json/json.js';
import type { Limits } from './runs/limits.js';
import type { CallUsage, ModelCall, ModelCallResult } from './models/model-call.js';
import type { EffectClass, ToolAnswer, ToolInvocation, ToolListing } from './tools/outside-tool.js';
import type { Tries } from './retries/retry-policy.js';
import type { ModelRun, ModelRunResult, Prediction, PredictionResult } from './predictions/served-model.js';
import type { Retrieval, RetrievalResult } from './retrieval/retrieval.js';
import type { RunLook } from './runs/child-run.js';
import type { RunSettings } from './runs/run-settings.js';
import type { PublishedAs } from './procedures/published.js';
import type { Memo, ProcedureSource } from './procedures/source.js';

/** What each call that may be held is told. */
export interface HoldableInput {
  /** Left out: the run doesn't know what to do where it is held, and it is made. */
  holds?: HoldTerms;
}

export interface ModelCallInput extends HoldableInput {
  call: ModelCall;
  /** The same at every attempt. */
  idempotencyKey: string;
  tries?: Tries;
}

/** A model call whose conversation begins with what was sent before. */
export interface ContinuedCallInput extends ModelCallInput {
  /** So many messages before those of `call`, by the digest of the last of their chain: see `conversationChain`. */
  prefix: { digest: string; count: number };
  /** Of the call in its run, which is asked for the messages where the worker doesn't have them. */
  position: Position;
}

/** Model calls that are asked together: of one model, by one API. */
export interface ModelBatchInput extends HoldableInput {
  calls: (ModelCallInput | ContinuedCallInput)[];
  /** The same at every attempt. */
  idempotencyKey: string;
  /** The provider's id of the batch, where some of its answers were handed over before. */
  batch?: string;
  tries: Tries;
}

/** What became of a call in a batch. `isAgain`: asked by itself, it may go better. */
export type BatchedOutcome =
  | { ok: true; result: ModelCallResult }
  | { ok: false; code: ErrorCode; message: string; isAgain: boolean; spent?: CallUsage };

export interface ModelBatchResult {
  /** The provider's id; null: there was nothing to be sent. */
  batch: string | null;
  /** In the order of the calls; null: there was no room for this one, which is to be asked for again. */
  outcomes: (BatchedOutcome | null)[];
}

export interface PredictInput extends HoldableInput {
  prediction: Prediction;
  /** The same at every attempt. */
  idempotencyKey: string;
  tries?: Tries;
}

export interface RunModelInput extends HoldableInput {
  run: ModelRun;
  /** The same at every attempt. */
  idempotencyKey: string;
  tries?: Tries;
}

export interface RetrieveInput extends HoldableInput {
  retrieval: Retrieval;
  tries?: Tries;
}

export interface CallToolInput extends HoldableInput {
  invocation: ToolInvocation;
  /** The same at every attempt, and for the question whether the call was done. */
  idempotencyKey: string;
  tries: Tries;
  /** The run knows what to do where the call becomes a task: builds before 0.6 don't. */
  tasks?: true;
}

export interface FollowTaskInput {
  invocation: ToolInvocation;
  tries: Tries;
  /** After this time the run is told that the task goes on, in ms. */
  lookMs: number;
}

export interface DropTaskInput {
  /** Of the tool. */
  source: string;
  effect: EffectClass;
  task: string;
}

export interface ListToolsInput extends HoldableInput {
  /** Names of tools and of servers, as a procedure has them. */
  sources: string[];
  tries: Tries;
}

export interface HttpRequestInput extends HoldableInput {
  request: HttpRequest;
  /** What the request is called: `GET host/path`. */
  name: string;
  /** The same at every attempt. */
  idempotencyKey: string;
  tries?: Tries;
}

export interface DispatchIntentInput extends HoldableInput {
  /** The key of the intent: the same at every attempt. */
  idempotencyKey: string;
  intent: Intent;
  tries: Tries;
}

export type FileInput = Omit<FileEffect, 'kind'> & {
  /** The same at every attempt. */
  idempotencyKey: string;
};

export type DataFileInput = Omit<DataFileEffect, 'kind'>;

/** What a model has written, and its tools as variables. */
export interface CheckCodeInput {
  text: string;
  tools: string[];
}

export interface LoadProcedureInput {
  /** The name that it is published under, or of its file below a folder of procedures, without `.tac`: `review-triage`, `support/triage`. */
  procedure: string;
  /** The run may begin paused by a hold; left out: it doesn't know how. */
  holds?: boolean;
  /** Fairness key of the run: a local activity isn't given the priority of its run. */
  tenant?: string;
}

/** A procedure, and what the configuration where it lies and the worker say of it; builds before 0.2 recorded neither. */
export interface LoadedProcedure extends ProcedureSource {
  /** Left out: it comes from a folder of the worker. */
  published?: PublishedAs;
  settings?: RunSettings;
  limits?: Partial<Limits>;
  /** The namespace has our search attributes. */
  searchAttributes?: true | 'labels';
  /** What the run puts into its memo, which whoever started it by name knew nothing of. */
  memo?: Memo;
  /** The hold that the run begins paused by; left out: none. */
  hold?: Hold;
}

/** The execution of a run that waits for the proof. */
export interface ProveChangeInput {
  runId: string;
  executionId: string;
}

export interface LookAtRunsInput {
  ids: string[];
  /** How they ended is not asked for, unless they ended without a word. */
  brief?: boolean;
}

/**
 * What a local activity gives. The marker that it leaves in history says nothing of when it ended that a replay would
 * see: there it may have ended together with others. So the answer brings its time, in ms since 1970.
 */
export interface LocalAnswer<T> {
  value: T;
  at: number;
  /**
   * When the worker was asked, in ms since 1970; null where this was not the first attempt. Workers of 0.1.0 left it
   * out.
   */
  since?: number | null;
}

/** A signed decision, and where and when (in ms since 1970) it arrived. */
export interface VerifyDecisionInput {
  decision: Decision;
  namespace: string;
  runId: string;
  at: number;
}

/** Whether a signed decision is real. */
export type DecisionVerdict =
  | { outcome: 'verified'; approver: string; keyId: string }
  | { outcome: 'not_allowed' | 'invalid'; message: string };

/** The activities of a worker by name. */
export interface TactusActivities {
  modelCall(input: ModelCallInput): Promise<ModelCallResult>;
  /** Under a name of its own: a worker that knows nothing of prefixes must not ask a model with the rest alone. */
  continuedModelCall(input: ContinuedCallInput): Promise<ModelCallResult>;
  /** Waits for as long as the provider takes, a day at most. */
  modelBatch(input: ModelBatchInput): Promise<ModelBatchResult>;
  predict(input: PredictInput): Promise<PredictionResult>;
  /** Asks a model that this worker loads or reaches. Workers in Python have it as well. */
  runModel(input: RunModelInput): Promise<ModelRunResult>;
  /** Looks something up in a corpus of the worker's. */
  retrieve(input: RetrieveInput): Promise<RetrievalResult>;
  /** Calls a tool that the worker has, or reaches. */
  callTool(input: CallToolInput): Promise<ToolAnswer>;
  /** Under a name of its own: a worker that knows nothing of tasks must not call the tool a second time. */
  followTask(input: FollowTaskInput): Promise<ToolAnswer>;
  /** Tells whoever has a tool that nobody waits for a task of it any more. */
  dropTask(input: DropTaskInput): Promise<void>;
  listTools(input: ListToolsInput): Promise<ToolListing>;
  /** A request of the procedure's own. */
  httpRequest(input: HttpRequestInput): Promise<HttpResponse>;
  /** Sends an intent of a graph. */
  dispatchIntent(input: DispatchIntentInput): Promise<IntentOutcome>;
  /** `read` gives the text, `write`, `append` and `delete` true, `exists` a boolean, `size` bytes, `list` names. */
  file(input: FileInput): Promise<LocalAnswer<JsonValue>>;
  /** The same, where a failure for good is an answer too: one that is thrown doesn't tell when it came. */
  fileOutcome(input: FileInput): Promise<LocalAnswer<Outcome>>;
  /** Several that change nothing: the outcomes of the first, and of as many after it as a second and 100 kB have room for. */
  fileOutcomes(inputs: FileInput[]): Promise<LocalAnswer<Outcome[]>>;
  dataFileOutcome(input: DataFileInput): Promise<LocalAnswer<Outcome>>;
  /** A prediction that is told beforehand. */
  mockPredict(input: PredictInput): Promise<LocalAnswer<PredictionResult>>;
  mockPredictOutcome(input: PredictInput): Promise<LocalAnswer<Outcome>>;
  /** Looks at what a model has written: a `CodeReview`. */
  checkCode(input: CheckCodeInput): Promise<LocalAnswer<Outcome>>;
  loadProcedure(input: LoadProcedureInput): Promise<LoadedProcedure>;
  /** Whether a decision is signed with one of the worker's keys. */
  verifyDecision(input: VerifyDecisionInput): Promise<DecisionVerdict>;
  /** Tells people of a human request, by one channel. */
  tellPeople(input: TellPeopleInput): Promise<TellPeopleResult>;
  /** How runs of others stand. */
  proveChange(input: ProveChangeInput): Promise<ProofResult>;
  lookAtRuns(input: LookAtRunsInput): Promise<RunLook[]>;
  /** Does nothing: whoever computes for long lets others have a turn meanwhile. */
  breathe(): Promise<void>;
  /** Whether a payload may be larger than the server takes. */
  storesLargePayloads(): Promise<boolean>;
}
