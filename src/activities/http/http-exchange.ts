import { sha256Hex } from '../../contract/effects/digest.js';
import type { Environment } from '../../contract/environment.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { attemptSignal, Fault, isTimeout } from '../retries/failures.js';
import { readSecret, wellFormed } from '../secrets/secrets.js';

export interface Exchange {
  url: URL;
  method: string;
  headers: Headers;
  body: string | null;
  /** Time that all of it may take, in ms. */
  timeoutMs: number;
  /** Whether an answer that is no text may be one the next time. */
  retriesBinary: boolean;
}

/** A whole answer. */
export interface HttpText {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Sends one request and reads its answer, whatever its status.
 * @throws Fault where there is none in time, or the network fails; TactusError payload_too_large
 */
export async function httpExchange(request: typeof fetch, exchange: Exchange): Promise<HttpText> {
  const { url, method, headers, body, timeoutMs, retriesBinary } = exchange;
  const signal = attemptSignal(timeoutMs);
  try {
    const response = await request(url, { method, headers, body, signal });
    const text = await readBody(response, retriesBinary);
    return { status: response.status, headers: response.headers, body: text };
  } catch (error) {
    if (isTimeout(signal)) throw new Fault(`gave no answer within ${timeoutMs} ms`, { retryable: true });
    const reason = networkReason(error);
    throw reason === null
      ? error
      : new Fault(`can't be reached (${reason})`, { retryable: true, cause: error });
  }
}

/** The fault that an answer stands for, with what the other side said. */
export function faultOf({ status, headers, body }: HttpText): Fault {
  // What refuses a key may quote it in parts.
  const reason: HttpAnswer['reason'] = status === 401 || body.trim() === '' ? null : body;
  return httpFault({ status, headers, reason });
}

/**
 * The response's text; `retriesBinary`: what is none may be one the next time.
 * @throws Fault where it isn't UTF-8; what the way out throws of an answer without an end
 */
async function readBody(response: Response, retriesBinary: boolean): Promise<string> {
  const bytes = await response.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Fault('answered with text that is not UTF-8', { retryable: retriesBinary });
  }
}

/**
 * Refuses what `fetch` would refuse with a message that quotes the whole URL.
 * @throws Fault that starts with `what`
 */
export function checkEndpoint(endpoint: string, what: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url;
  throw new Fault(`${what} must be an http or https URL without a user in it`, { retryable: false });
}

/**
 * The headers of a request, with `{"secret": "NAME"}` replaced by the value of that variable (or the content of the
 * file in `NAME_FILE`) and an optional `prefix` before it: `{"secret": "TOKEN", "prefix": "Bearer "}`.
 * @throws TactusError missing_key, naming the variable; Fault where HTTP doesn't allow a header
 */
export function requestHeaders(given: JsonObject, env: Environment): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    const text = headerText(name, value, env);
    try {
      headers.set(name, text);
    } catch {
      // The platform's own message quotes the value.
      throw new Fault(`the header ${JSON.stringify(name)} has characters that HTTP doesn't allow`, {
        retryable: false,
      });
    }
  }
  return headers;
}

/** The secrets that these headers name, as far as they are there. */
export function namedSecrets(given: JsonObject, env: Environment): string[] {
  return Object.values(given).flatMap((value) => {
    const name = secretName(value);
    if (name === null) return [];
    try {
      return [readSecret(env, name) ?? ''];
    } catch {
      return [];
    }
  });
}

function headerText(header: string, value: JsonValue, env: Environment): string {
  const name = secretName(value);
  if (name === null) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return String(value);
    throw new Fault(`the header ${JSON.stringify(header)} must be a text or {"secret": "NAME"}`, {
      retryable: false,
    });
  }
  const secret = readSecret(env, name);
  if (secret === null)
    throw new TactusError(
      'missing_key',
      `The header ${header} needs the secret ${name}: set ${name} (or ${name}_FILE)`,
      { variable: name },
    );
  const prefix = isObject(value) ? value['prefix'] : undefined;
  return typeof prefix === 'string' ? prefix + secret : secret;
}

function secretName(value: JsonValue): string | null {
  const name = isObject(value) ? value['secret'] : undefined;
  return typeof name === 'string' ? name : null;
}

/** Receivers commonly take no more. */
const maxLength = 255;

/** The idempotency key as an HTTP header can carry it: printable ASCII, short. Equal keys give equal headers. */
export function idempotencyHeader(key: string): { 'Idempotency-Key': string } {
  const ascii = wellFormed(key).replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return { 'Idempotency-Key': ascii.length <= maxLength ? ascii : sha256Hex(wellFormed(key)) };
}

/** A longer wait is a provider's mistake: a run had better fail, or go by its own policy. */
const longestWaitMs = 24 * 60 * 60 * 1000;

interface HttpAnswer {
  status: number;
  headers: Headers;
  /** What the other side said, or null where that can't be shown or read. */
  reason: string | null;
}

/** The fault that an HTTP status stands for. Request timeout, conflict, too early, too many requests and server errors may go better. */
export function httpFault({ status, headers, reason }: HttpAnswer): Fault {
  return new Fault(reason === null ? `answered ${status}` : `answered ${status}: ${reason}`, {
    status,
    retryable: wishOf(headers) ?? isRetryableStatus(status),
    retryAfterMs: retryAfterMs(headers, Date.now()),
  });
}

export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

/** Providers that know better than their status say so. */
function wishOf(headers: Headers): boolean | null {
  const wish = headers.get('x-should-retry');
  return wish === 'true' ? true : wish === 'false' ? false : null;
}

/** How long to wait, by `retry-after-ms` (ms) or `retry-after` (seconds, or a date); null where neither says. */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const exact = headers.get('retry-after-ms');
  if (exact !== null) return sensible(Number(exact));
  const after = headers.get('retry-after');
  if (after === null) return null;
  const seconds = Number(after);
  return sensible(Number.isNaN(seconds) ? Date.parse(after) - now : seconds * 1000);
}

function sensible(ms: number): number | null {
  return ms > 0 && ms <= longestWaitMs ? Math.ceil(ms) : null;
}

/** Deepest chain of causes that HTTP libraries build. */
const deepest = 5;

/**
 * What went wrong between here and there, as the platform names it (`ECONNREFUSED`, `UND_ERR_SOCKET`), or null where
 * the error isn't one of the network.
 */
export function networkReason(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth === deepest) return null;
  const { code } = error as Error & { code?: unknown };
  // A mistake of ours, a wrong URL say, has a code of Node's that begins so.
  if (typeof code === 'string' && /^[A-Z]/.test(code) && !code.startsWith('ERR_INVALID')) return code;
  const inner = networkReason(error.cause, depth + 1);
  if (inner !== null) return inner;
  return /^(terminated|other side closed|socket hang up)$/.test(error.message) ? error.message : null;
}
