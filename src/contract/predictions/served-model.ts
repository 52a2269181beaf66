import type { JsonObject, JsonValue } from '../json/json.js';
import type { RetryPolicy } from '../retries/retry-policy.js';

/** Types of models that a worker loads or reaches, in Node. */
export const nodeModelTypes = [
  'onnx',
  'bert',
  'hf_sequence_classifier',
  'sentence_transformers',
  'sagemaker',
] as const;

/** Those that a worker in Python loads: the libraries that read their files are there alone. */
export const pythonModelTypes = ['sklearn', 'pytorch', 'registry', 'naive_bayes', 'python'] as const;

export type ServedType = (typeof nodeModelTypes)[number] | (typeof pythonModelTypes)[number];

export function isPythonModelType(type: string): boolean {
  return pythonModelTypes.some((each) => each === type);
}

export function isServedType(type: string): type is ServedType {
  return isPythonModelType(type) || nodeModelTypes.some((each) => each === type);
}

/** A model that a worker loads or reaches, as its procedure declares it. */
export interface ServedModel {
  type: ServedType;
  /** What the declaration says beside what the run sees to itself; by its type: see `docs/prediction-models.md`. */
  settings: JsonObject;
  /** Time that one attempt may take, in ms. */
  timeoutMs: number;
  retry?: RetryPolicy;
  /** Where it is done; left out: by its type. */
  taskQueue?: string;
}

/** Questions to a served model: what the activity `runModel` is given. */
export interface ModelRun {
  /** As the procedure calls it. */
  model: string;
  backend: ServedModel;
  /** One or more, in order. */
  inputs: JsonValue[];
}

export interface ModelRunResult {
  /** In the order of the inputs: at least one. Fewer than there were inputs: the rest is to be asked for anew, there was no room for it in an answer. */
  outputs: JsonValue[];
  /** US dollars, where the model has a price. */
  cost: number | null;
  /** What the worker asked: `sha256:…` of the model's files, an endpoint's variant, a registry's version; null: it can't be told. */
  version: string | null;
}

/** The queue of workers in Python, for runs on `taskQueue`: where models go whose type Python alone has, unless somebody says otherwise. */
export function pythonQueueOf(taskQueue: string): string {
  return `${taskQueue}-python`;
}

/** One question to a prediction model: the input of the `predict` activity. */
export interface Prediction {
  model: string;
  backend:
    | { type: 'mock'; value: JsonValue }
    | {
        type: 'http';
        endpoint: string;
        /** Time that one attempt may take, in ms. */
        timeoutMs: number;
        /** Plain values only; `{"secret": "NAME"}` is resolved from the worker's environment. */
        headers: JsonObject;
        retry?: RetryPolicy;
        /** Left out: POST. */
        method?: 'POST' | 'PUT' | 'PATCH';
        /** Where the prediction stands in the answer: names and numbers, from 0, between dots. Left out: it is the answer. */
        response?: string;
        /** US dollars for a call that was answered. */
        cost?: number;
      };
  input: JsonValue;
}

export interface PredictionResult {
  output: JsonValue;
  /** US dollars, where the model has a price. */
  cost: number | null;
}
