import type { JsonObject } from '../json/json.js';

/** Where a worker sends intents of a type: each as JSON, with its key as `Idempotency-Key`. */
export interface Dispatcher {
  url: string;
  /** Texts, or `{"secret": "NAME", "prefix": "Bearer "}`, where a variable of the worker has the value. */
  headers?: JsonObject;
}

/** The dispatchers of a worker, by the types of intents. */
export type Dispatchers = Readonly<Record<string, Dispatcher>>;
