import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { withExactArguments } from '../exact-arguments.js';
import { Fault } from '../../retries/fault.js';
import { httpFault } from '../../http/http-fault.js';
import { networkReason } from '../../http/network-reason.js';
import { toldError } from '../told-error.js';
import type { SeatedRequest } from './batch-api.js';

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
      ...(key === undefined ? {} : { 'idempotency-key': key }),
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
    const reason = toldError(await response.text())?.message ?? null;
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
