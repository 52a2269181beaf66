import { TactusError, type ErrorCode } from '../../contract/errors.js';
import {
  httpMethods,
  idempotentMethods,
  type HttpMethod,
  type HttpRequest,
} from '../../contract/http/http-request.js';
import {
  canonicalJson,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';
import type { RetryPolicy } from '../../contract/retries/retry-policy.js';
import { readDuration } from '../../contract/time/duration.js';
import { PerRun, readRetry } from '../kernel/index.js';

/** What holds for all requests of a client. */
export interface HttpClient {
  /** The name that a procedure's `dependencies` give it; it can be mocked by that. */
  name: string | null;
  /** Without a slash at its end; null: whoever asks writes whole URLs. */
  baseUrl: string | null;
  headers: JsonObject;
  timeoutMs: number;
  /** For methods that may be sent twice; null: nothing is tried again. */
  retry: RetryPolicy | null;
}

const retryFields = ['retries', 'retry'];

/** As long as what receives a URL commonly takes. */
const longestUrl = 8_000;

/** The client of `http_client.get` and its like. */
export const plainClient: HttpClient = {
  name: null,
  baseUrl: null,
  headers: {},
  timeoutMs: 30_000,
  retry: null,
};

/**
 * Reads `{base_url, headers, timeout}`.
 * @throws TactusError with the given code
 */
export function readClient(
  config: JsonValue,
  name: string | null,
  what: string,
  code: ErrorCode,
): HttpClient {
  const fields = fieldsOf(config, ['base_url', 'headers', 'timeout', 'type', ...retryFields], what, code);
  const { base_url: base = null, headers = null, timeout = null } = fields;
  return {
    name,
    baseUrl: base === null ? null : readBase(base, `${what}: base_url`, code),
    headers: withHeaders({}, headers, what, code),
    timeoutMs: timeout === null ? plainClient.timeoutMs : readTimeout(timeout, what, code),
    retry: readRetry(fields, what, code),
  };
}

/**
 * The request that a call asks for.
 * @throws TactusError http_failed
 */
export function readRequest(
  client: HttpClient,
  what: string,
  given: { method: string; url: JsonValue; options: JsonValue },
): HttpRequest {
  const code = 'http_failed';
  const method = readMethod(given.method, what);
  const known = ['headers', 'params', 'json', 'body', 'timeout', ...retryFields];
  const options = fieldsOf(given.options, known, what, code);
  const { headers = null, params = null, json, body, timeout = null } = options;
  const own = readRetry(options, what, code);
  const maySendTwice = idempotentMethods.includes(method);
  if (!maySendTwice && (own?.attempts ?? 1) > 1)
    throw refused(
      `${what}: a ${method} request is sent once, as to send it twice may do something twice: leave out retries, and look at what was answered`,
    );
  const retry = own ?? client.retry;
  const text = readBodyText(json ?? null, body ?? null, what);
  if (text !== null && (method === 'GET' || method === 'HEAD'))
    throw refused(`${what}: a ${method} request has no body; write params = {…} for the query`);
  return {
    method,
    url: withParams(readTarget(client, given.url, what), params, what),
    headers: withHeaders(
      withHeaders(
        (json ?? null) === null ? {} : { 'content-type': 'application/json' },
        client.headers,
        what,
        code,
      ),
      headers,
      what,
      code,
    ),
    body: text,
    timeoutMs: timeout === null ? client.timeoutMs : readTimeout(timeout, what, code),
    ...(maySendTwice && retry !== null ? { retry } : {}),
  };
}

/** `GET host/path`: without the query, which may be long, or nobody's business. */
export function requestName({ method, url }: HttpRequest): string {
  return `${method} ${url.replace(/^https?:\/\//i, '').replace(/\?.*$/s, '')}`;
}

function readMethod(given: string, what: string): HttpMethod {
  const method = httpMethods.find((each) => each === given.toUpperCase());
  if (method === undefined)
    throw refused(
      `${what}: the method must be one of ${httpMethods.join(', ')}, got ${JSON.stringify(given)}`,
    );
  return method;
}

function readTarget({ baseUrl }: HttpClient, url: JsonValue, what: string): string {
  if (baseUrl === null) return readUrl(url, `${what}: the URL`, 'http_failed');
  if (typeof url !== 'string') throw refused(`${what}: the path must be a text such as "/users"`);
  // Its headers are meant for one host alone.
  if (/^[a-z][a-z\d+.-]*:/i.test(url) || /^[/\\]{2}/.test(url))
    throw refused(`${what}: this client asks ${baseUrl} alone: write a path, or http_client.get(url)`);
  const path = readUrlText(url, `${what}: the path`, 'http_failed');
  return path === '' || path.startsWith('?') ? baseUrl + path : `${baseUrl}/${path.replace(/^\//, '')}`;
}

function readBase(value: JsonValue, what: string, code: ErrorCode): string {
  let url = readUrl(value, what, code);
  if (url.includes('?')) throw new TactusError(code, `${what} can't have a query`);
  while (url.endsWith('/')) url = url.slice(0, -1);
  return url;
}

/** What a URL must be is said by patterns: what runs in a workflow may not depend on how a platform reads URLs. */
function readUrl(value: JsonValue, what: string, code: ErrorCode): string {
  const url = typeof value === 'string' ? readUrlText(value, what, code) : '';
  const authority = /^https?:\/\/([^/?\\]+)/i.exec(url)?.[1] ?? null;
  if (authority === null)
    throw new TactusError(code, `${what} must be an http or https URL, got ${JSON.stringify(value)}`);
  // It may be a password: it isn't shown.
  if (/^https?:\/\/[^/?]*@/i.test(url))
    throw new TactusError(
      code,
      `${what} can't have a user in it; write headers = {authorization = {secret = "NAME"}}`,
    );
  return url;
}

/** Without its fragment, which is never sent. */
function readUrlText(text: string, what: string, code: ErrorCode): string {
  if (text.length > longestUrl)
    throw new TactusError(code, `${what} is longer than ${longestUrl} characters`);
  // eslint-disable-next-line no-control-regex -- what a URL can't hold is just that
  if (/[\u0000-\u0020\u007f]/.test(text))
    throw new TactusError(code, `${what} can't have white space in it; write params = {…} for the query`);
  return text.replace(/#.*$/s, '');
}

function withParams(url: string, params: JsonValue, what: string): string {
  if (params === null || (Array.isArray(params) && params.length === 0)) return url;
  if (!isObject(params)) throw refused(`${what}: params must be a table such as { page = 2 }`);
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => {
      if (each === null || typeof each === 'object')
        throw refused(`${what}: the param ${name} must be a text, a number, a boolean, or a list of these`);
      return `${encodeURIComponent(name)}=${encodeURIComponent(String(each))}`;
    }),
  );
  if (pairs.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

function readBodyText(json: JsonValue, body: JsonValue, what: string): string | null {
  if (json !== null && body !== null) throw refused(`${what}: has both json and body; write one of them`);
  if (json !== null) return JSON.stringify(json);
  if (body === null || typeof body === 'string') return body;
  throw refused(`${what}: body must be a text; write json = … for a table`);
}

function readTimeout(value: JsonValue, what: string, code: ErrorCode): number {
  const timeoutMs = readDuration(value, `${what}: timeout`, code);
  if (timeoutMs === 0) throw new TactusError(code, `${what}: timeout must be more than 0`);
  return timeoutMs;
}

function fieldsOf(value: JsonValue, known: readonly string[], what: string, code: ErrorCode): JsonObject {
  if (value === null || (Array.isArray(value) && value.length === 0)) return {};
  if (!isObject(value)) throw new TactusError(code, `${what}: the options must be a table with names`);
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw new TactusError(code, `${what}: has the unknown option ${odd}; there are ${known.join(', ')}`);
  return value;
}

function refused(message: string): TactusError {
  return new TactusError('http_failed', message);
}

/** Characters of a name, by RFC 9110. */
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Headers with those of a table added, which win over others of the same name. Names become lower case.
 * @throws TactusError with the given code where a header can't be sent
 */
function withHeaders(headers: JsonObject, added: JsonValue, what: string, code: ErrorCode): JsonObject {
  const all = { ...headers };
  if (added === null || (Array.isArray(added) && added.length === 0)) return all;
  if (!isObject(added)) throw new TactusError(code, `${what}: headers must be a table with names`);
  for (const [name, value] of Object.entries(added)) {
    const shown = JSON.stringify(name);
    if (!token.test(name)) throw new TactusError(code, `${what}: ${shown} is no name of a header`);
    if (!isHeaderValue(value))
      throw new TactusError(
        code,
        `${what}: the header ${shown} must be a text of one line or { secret = "NAME" }`,
      );
    setOwn(all, name.toLowerCase(), value);
  }
  return all;
}

function isHeaderValue(value: JsonValue): boolean {
  if (isObject(value)) return typeof value['secret'] === 'string' && value['secret'] !== '';
  if (typeof value === 'string') return !/[\r\n\0]/.test(value);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** The clients of all procedures, by name. */
export const dependencies = new PerRun(() => new Map<string, HttpClient>(), 'declared');

/**
 * The clients among a procedure's `dependencies = { api = { type = "http_client", … } }`. Databases are left to tools:
 * what is of another type can be declared, and has no effect.
 * @throws TactusError source_invalid
 */
export function readDependencies(declared: JsonValue, what: string): HttpClient[] {
  if (!isObject(declared)) return [];
  return Object.entries(declared).flatMap(([name, config]) =>
    isObject(config) && config['type'] === 'http_client'
      ? [readClient(config, name, `${what}: dependencies.${name}`, 'source_invalid')]
      : [],
  );
}

/**
 * Adds a procedure's clients to those of the file: `dependencies` is one table for all of them.
 * @throws TactusError source_invalid where two procedures mean different clients by one name
 */
export function addDependencies(all: Map<string, HttpClient>, clients: readonly HttpClient[]): void {
  for (const client of clients) {
    const name = client.name ?? '';
    const known = all.get(name);
    if (known !== undefined && settingsOf(known) !== settingsOf(client))
      throw new TactusError(
        'source_invalid',
        `dependencies.${name} is declared by two procedures with different settings; give them two names`,
      );
    all.set(name, client);
  }
}

function settingsOf({ baseUrl, headers, timeoutMs, retry }: HttpClient): string {
  return canonicalJson({ baseUrl, headers, timeoutMs, retry: { ...retry } });
}
