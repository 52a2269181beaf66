import type { JsonObject } from '../json/json.js';
import type { RetryPolicy } from '../retries/retry-policy.js';

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
  /** Left out: it is sent once. Only for methods that do the same when they are sent twice. */
  retry?: RetryPolicy;
}

export const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** To send one twice comes to the same as once (RFC 9110, 9.2.2). */
export const idempotentMethods: readonly HttpMethod[] = ['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'];

/** To send one changes nothing (RFC 9110, 9.2.1). */
export const safeMethods: readonly HttpMethod[] = ['GET', 'HEAD', 'OPTIONS'];

export type HttpMethod = (typeof httpMethods)[number];

/** What came back, as it is recorded. Whether it is well, and its JSON, follow from that. */
export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}
