import type { JsonObject, JsonValue } from '../json/json.js';
import type { RetryPolicy } from '../retries/retry-policy.js';

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
