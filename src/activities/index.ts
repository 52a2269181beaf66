import type { Outcome } from '../contract/checkpoint.js';
import type { HttpResponse } from '../contract/http-request.js';
import type { JsonValue } from '../contract/json.js';
import type { ModelCallResult } from '../contract/model-call.js';
import type { PredictionResult } from '../contract/prediction.js';
import type { RunLook } from '../contract/run-look.js';
import type { ActivityDeps } from './activity-deps.js';
import { file, type FileInput } from './file.js';
import { httpRequest, type HttpRequestInput } from './http-request.js';
import { loadProcedure, type LoadedProcedure, type LoadProcedureInput } from './load-procedure.js';
import { localAnswer, type LocalAnswer } from './local-answer.js';
import { lookAtRuns, type LookAtRunsInput } from './look-at-runs.js';
import { outcomeOf } from './outcome-of.js';
import { modelCall, type ModelCallInput } from './model-call.js';
import { predict, type PredictInput } from './predict.js';
import { createLocalRuntime } from './providers/local-runtime.js';

export type { ActivityDeps, LocalModelFiles, TextEvent } from './activity-deps.js';
export { checkModel, type ModelChoice, type Provider } from './check-model.js';

/** The activities of a worker by name; workflows import this type alone. */
export interface TactusActivities {
  modelCall(input: ModelCallInput): Promise<ModelCallResult>;
  predict(input: PredictInput): Promise<PredictionResult>;
  /** A request of the procedure's own. */
  httpRequest(input: HttpRequestInput): Promise<HttpResponse>;
  /** `read` gives the text, `write` true, `exists` a boolean, `size` bytes. */
  file(input: FileInput): Promise<LocalAnswer<JsonValue>>;
  /** The same, where a failure for good is an answer too: one that is thrown doesn't tell when it came. */
  fileOutcome(input: FileInput): Promise<LocalAnswer<Outcome>>;
  /** A prediction that is told beforehand. */
  mockPredict(input: PredictInput): Promise<LocalAnswer<PredictionResult>>;
  mockPredictOutcome(input: PredictInput): Promise<LocalAnswer<Outcome>>;
  loadProcedure(input: LoadProcedureInput): Promise<LoadedProcedure>;
  /** How runs of others stand. */
  lookAtRuns(input: LookAtRunsInput): Promise<RunLook[]>;
  /** Does nothing: whoever computes for long lets others have a turn meanwhile. */
  breathe(): Promise<void>;
  /** Whether a payload may be larger than the server takes. */
  storesLargePayloads(): Promise<boolean>;
}

/** Makes the activities of one worker. They share nothing with those of another one but the process. */
export function createActivities(deps: ActivityDeps): TactusActivities {
  const local = deps.localModel ? createLocalRuntime(deps.localModel) : null;
  return {
    modelCall: (input) => modelCall(deps, local, input),
    predict: (input) => predict(deps, input),
    httpRequest: (input) => httpRequest(deps, input),
    file: (input) => localAnswer(file(deps, input)),
    fileOutcome: (input) => localAnswer(outcomeOf(file(deps, input))),
    mockPredict: (input) => localAnswer(predict(deps, input)),
    mockPredictOutcome: (input) => localAnswer(outcomeOf(predict(deps, input))),
    loadProcedure: (input) => loadProcedure(deps, input),
    lookAtRuns: (input) => lookAtRuns(input),
    breathe: () => Promise.resolve(),
    storesLargePayloads: () => Promise.resolve(deps.storesLargePayloads === true),
  };
}
