import type { JsonValue } from '../contract/json.js';
import type { ModelCallResult } from '../contract/model-call.js';
import type { PredictionResult } from '../contract/prediction.js';
import type { ProcedureSource } from '../contract/source.js';
import type { ActivityDeps } from './activity-deps.js';
import { file, type FileInput } from './file.js';
import { loadProcedure, type LoadProcedureInput } from './load-procedure.js';
import { modelCall, type ModelCallInput } from './model-call.js';
import { predict, type PredictInput } from './predict.js';
import { createLocalRuntime } from './providers/local-runtime.js';

export type { ActivityDeps, Environment, LocalModelFiles, TextEvent } from './activity-deps.js';
export { checkModel, type ModelChoice, type Provider } from './check-model.js';

/** The activities of a worker by name; workflows import this type alone. */
export interface TactusActivities {
  modelCall(input: ModelCallInput): Promise<ModelCallResult>;
  predict(input: PredictInput): Promise<PredictionResult>;
  /** `read` gives the text, `write` true, `exists` a boolean, `size` bytes. */
  file(input: FileInput): Promise<JsonValue>;
  loadProcedure(input: LoadProcedureInput): Promise<ProcedureSource>;
  /** Does nothing: whoever computes for long lets others have a turn meanwhile. */
  breathe(): Promise<void>;
}

/** Makes the activities of one worker. They share nothing with those of another one but the process. */
export function createActivities(deps: ActivityDeps): TactusActivities {
  const local = deps.localModel ? createLocalRuntime(deps.localModel) : null;
  return {
    modelCall: (input) => modelCall(deps, local, input),
    predict: (input) => predict(deps, input),
    file: (input) => file(deps, input),
    loadProcedure: (input) => loadProcedure(deps, input),
    breathe: () => Promise.resolve(),
  };
}
