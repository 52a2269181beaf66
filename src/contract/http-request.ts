import type { JsonObject } from './json.js';

/** One request that a procedure sends: the input of the `httpRequest` activity. */
export interface HttpRequest {
  method: HttpMethod;
  /** Absolute, with its query. */
  url: string;
  /** Plain values only; `{"secret": "NAME"}` is resolved from the worker's environment. */
  headers: JsonObject;
  /** null: none. */
  body: string | null;
  /** Time that one attempt may take, in ms. */
  timeoutMs: number;
}

export const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

export type HttpMethod = (typeof httpMethods)[number];

/** What came back, as it is recorded. Whether it is well, and its JSON, follow from that. */
export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}
