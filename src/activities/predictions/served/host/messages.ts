import type { ErrorCode } from '../../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../../contract/json/json.js';
import type { ServedType } from '../../../../contract/predictions/served-model.js';

/** What the process that runs models is asked. */
export interface HostRequest {
  type: HostedType;
  /** The model's file or folder, really: no link. */
  place: string;
  /** The worker's folder of models, really; none of the model's files lies outside. */
  root: string;
  /** The place as the procedure names it. */
  path: string;
  settings: JsonObject;
  /** None: the model is loaded alone. */
  inputs: JsonValue[];
  /** Bytes of model files that are held at once. */
  memoryBytes: number;
}

/** What became of the models that are held, for the worker's log. */
export interface ModelsHeld {
  /** Left out: it was there already. */
  loaded?: { path: string; bytes: number; ms: number };
  /** Paths of those that had to give way. */
  dropped: string[];
}

export type HostAnswer =
  | { ok: true; outputs: JsonValue[]; version: string; held: ModelsHeld }
  | { ok: false; code: ErrorCode; message: string; retryable: boolean; held: ModelsHeld };

/** Types of models that a worker loads into a process beside it. */
export const hostedTypes = [
  'onnx',
  'bert',
  'hf_sequence_classifier',
  'sentence_transformers',
] as const satisfies readonly ServedType[];

export type HostedType = (typeof hostedTypes)[number];
