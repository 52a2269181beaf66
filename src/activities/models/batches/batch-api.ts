import { setTimeout as delay } from 'node:timers/promises';
import { defined, isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { httpFault, networkReason } from '../../http/http-exchange.js';
import { Fault } from '../../retries/failures.js';
import type { HeldResponse } from '../background-response.js';
import { providerError } from '../provider-fault.js';
import { withExactArguments } from '../provider-fetch.js';

/**
 * What a request is called in its batch (`custom_id`): the same call has the same id in every activity that reads the batch's
 * answers, whichever calls the others were about.
 */
export type RequestId = string;

/** A request as it would have been sent by itself. */
export interface SeatedRequest {
  url: string;
  headers: Headers;
  body: JsonObject;
}

/** A provider's batch, once it has ended. */
export interface EndedBatch {
  /** As if each request had been sent by itself; those that aren't there have no answer. */
  answers: ReadonlyMap<RequestId, Response>;
  /** How it ended: why some have none. */
  state: string;
}

/** The calls about batches of one provider; they throw a `Fault`. */
export interface BatchApi {
  /** Gives the provider's id of the batch. */
  begin(requests: ReadonlyMap<RequestId, SeatedRequest>, key: string): Promise<string>;
  /** One that was begun with the same key; null: there is none, or that can't be found out. */
  find(key: string): Promise<string | null>;
  /** null: the provider is at it. */
  look(id: string): Promise<EndedBatch | null>;
  /** Tells the provider that it isn't wanted; whether that was heard makes no difference here. */
  cancel(id: string): Promise<void>;
}

/** Time for a word to the provider that a batch isn't wanted any more, in ms. */
const patienceMs = 5_000;

/** Headers of one request that say nothing of a batch. */
const ownHeaders = ['content-type', 'content-length', 'idempotency-key'];

/** What is said to a provider about batches, with the headers of a request to its models. */
export class BatchCalls {
  private readonly headers: Headers;

  constructor(
    private readonly fetch: typeof globalThis.fetch,
    { headers }: Pick<SeatedRequest, 'headers'>,
    private readonly signal: AbortSignal,
  ) {
    this.headers = new Headers(headers);
    for (const name of ownHeaders) this.headers.delete(name);
  }

  async get(url: string): Promise<JsonObject> {
    return parsed(await this.text(url));
  }

  /** @throws Fault where the provider refuses, or can't be reached */
  async text(url: string): Promise<string> {
    return (await this.send(url, { method: 'GET' })).text();
  }

  /** @param key the provider does the same once, where it knows such keys */
  async post(url: string, body: JsonObject | FormData, key?: string): Promise<JsonObject> {
    const isForm = body instanceof FormData;
    const headers: Record<string, string> = {
      ...defined({ 'idempotency-key': key }),
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    };
    const sent = { headers, body: isForm ? body : JSON.stringify(body) };
    return parsed(await (await this.send(url, { method: 'POST', ...sent })).text());
  }

  /** Waits for nothing but the sending. */
  async tell(url: string): Promise<void> {
    const request = { method: 'POST', headers: this.headers, signal: AbortSignal.timeout(patienceMs) };
    await this.fetch(url, request).then(
      (response) => response.body?.cancel(),
      () => undefined,
    );
  }

  private async send(
    url: string,
    { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
  ): Promise<Response> {
    const all = new Headers(this.headers);
    for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
    const response = await this.fetch(url, { ...init, headers: all, signal: this.signal }).catch(
      (error: unknown) => {
        const reason = networkReason(error);
        if (reason === null) throw error;
        throw new Fault(`can't be reached (${reason})`, { retryable: true, cause: error });
      },
    );
    if (response.ok) return response;
    const { status, headers: said } = response;
    const reason = providerError(await response.text())?.message ?? null;
    throw httpFault({ status, headers: said, reason });
  }
}

/** Each line of JSON that is an object; what isn't is left out. */
export function objectsIn(lines: string): JsonObject[] {
  return lines
    .split('\n')
    .map(valueOf)
    .filter((value): value is JsonObject => isObject(value));
}

export function textIn(object: JsonObject | null, name: string): string | null {
  const value = object?.[name];
  return typeof value === 'string' ? value : null;
}

export function objectIn(object: JsonObject | null, name: string): JsonObject | null {
  const value = object?.[name] ?? null;
  return isObject(value) ? value : null;
}

export function listIn(object: JsonObject | null, name: string): JsonObject[] {
  const value = object?.[name];
  return Array.isArray(value) ? value.filter((each) => isObject(each)) : [];
}

/** An answer as HTTP would have had it. */
export function answerOf(status: number, body: JsonValue): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

function parsed(text: string): JsonObject {
  const value = valueOf(text);
  if (isObject(value)) return value;
  throw new Fault('answered about a batch, but not in JSON', { retryable: true });
}

function valueOf(text: string): JsonValue {
  try {
    return JSON.parse(withExactArguments(text)) as JsonValue;
  } catch {
    return null;
  }
}

const firstWaitMs = 500;
const longestWaitMs = 60_000;
const growth = 1.5;

/**
 * Waits for the end of a batch. One that nobody wants any more is cancelled at the provider; one that the provider has lost has
 * ended without answers.
 * @throws Fault where the provider can't be asked; what the signal was aborted for
 */
export async function followBatch(
  api: BatchApi,
  id: string,
  held: HeldResponse,
  signal: AbortSignal,
): Promise<EndedBatch> {
  try {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * growth, longestWaitMs)) {
      const ended = await api.look(id);
      if (ended !== null) return ended;
      await delay(waitMs, undefined, { signal });
    }
  } catch (error) {
    if (error instanceof Fault && error.status === 404) return { answers: new Map(), state: 'lost' };
    // Else it is paid for to its end.
    if (signal.aborted && (await held.isUnwanted())) await api.cancel(id);
    throw error;
  }
}
