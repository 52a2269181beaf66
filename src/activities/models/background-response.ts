import { setTimeout as delay } from 'node:timers/promises';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { Fault, isTimeout } from '../retries/failures.js';
import type { AttemptNotes } from '../retries/heartbeat.js';
import { isUnwanted, type ServerAccess } from '../runs/look-at-runs.js';
import { permanentErrorCodes } from './provider-fault.js';

/** Ends that have an answer to show, or a part of one. */
const withAnswer = ['completed', 'incomplete'];

/** Why a response came to nothing; null where it has an answer, or hasn't ended. */
function endedFault({ state, error }: Pick<Reply, 'state' | 'error'>): Fault | null {
  if (state === null || withAnswer.includes(state) || state === 'queued' || state === 'in_progress')
    return null;
  if (state !== 'failed')
    return new Fault(`ended its response without an answer: ${state}`, { retryable: true, isAnswer: true });
  const word = (name: string): string => (typeof error?.[name] === 'string' ? error[name] : '');
  const code = word('code');
  const reason = word('message') || code;
  return new Fault(`failed while it answered${reason === '' ? '' : `: ${reason}`}`, {
    retryable: !permanentErrorCodes.has(code) && !code.startsWith('invalid_'),
    isAnswer: code !== 'rate_limit_exceeded',
  });
}

const firstWaitMs = 500;
const longestWaitMs = 5_000;
const growth = 1.5;

/** The response that is being made, of which the next attempt is to know. */
export interface HeldResponse {
  /** null: there is none. */
  readonly id: string | null;
  /** Resolves when the id is where the next attempt finds it. */
  hold(id: string): Promise<void>;
  /** Whether nobody wants the response any more, once the request was aborted. */
  isUnwanted(): Promise<boolean>;
}

/**
 * A `fetch` by which a request to OpenAI's Responses API is answered in the background: the provider gives an id at once, and
 * is asked for what became of it until it is there. One that an attempt before has begun is not asked for again, unless
 * nothing came of it.
 * @throws Fault where the response ended without an answer
 */
export function backgroundFetch(base: typeof fetch, held: HeldResponse): typeof fetch {
  return async (input, init = {}) => {
    const api = responseApi(base, input, init);
    const before = held.id === null ? null : await followed(api, held, await api.look(held.id));
    if (before !== null && !isLost(before)) return before.response();
    const begun = await api.post({ ...jsonBody(init), background: true });
    const { id } = begun;
    if (!isOpen(begun) || id === null) return answered(begun);
    await held.hold(id);
    const ended = await followed(api, held, begun);
    if (ended.status === 404)
      throw new Fault(`has lost the response ${id} that it had begun`, { retryable: true, isAnswer: true });
    return answered(ended);
  };
}

/** What becomes of a response. */
async function followed(api: ResponseApi, held: HeldResponse, seen: Reply): Promise<Reply> {
  let reply = seen;
  try {
    for (let waitMs = firstWaitMs; isOpen(reply); waitMs = Math.min(waitMs * growth, longestWaitMs)) {
      await delay(waitMs, undefined, api.signal === null ? {} : { signal: api.signal });
      reply = await api.look(held.id ?? '');
    }
    return reply;
  } catch (error) {
    // Else it is paid for to its end.
    if (api.signal?.aborted === true && held.id !== null && (await held.isUnwanted()))
      await api.cancel(held.id);
    throw error;
  }
}

/** It is being made. */
function isOpen({ state }: Reply): boolean {
  return state === 'queued' || state === 'in_progress';
}

/** The provider knows it no more, or has nothing to show for it. */
function isLost(reply: Reply): boolean {
  return reply.status === 404 || endedFault(reply) !== null;
}

function answered(reply: Reply): Response {
  const fault = endedFault(reply);
  if (fault !== null) throw fault;
  return reply.response();
}

/** The JSON object that a request sends; an empty one where it sends something else. */
export function jsonBody({ body }: RequestInit): JsonObject {
  const parsed = typeof body === 'string' ? (JSON.parse(body) as JsonValue) : null;
  return isObject(parsed) ? parsed : {};
}

/** Time for a word to the provider that a response isn't wanted any more, in ms. */
const patienceMs = 5_000;

/** What was heard of a response. */
interface Reply {
  /** Of HTTP. */
  status: number;
  id: string | null;
  /** `queued`, `in_progress`, `completed` …; null where that isn't said. */
  state: string | null;
  /** `error` of the response. */
  error: JsonObject | null;
  /** As if it were the answer to the request. */
  response(): Response;
}

/** The calls about one response. */
interface ResponseApi {
  /** That of the request; null: it has none. */
  readonly signal: AbortSignal | null;
  post(body: JsonObject): Promise<Reply>;
  look(id: string): Promise<Reply>;
  /** Tells the provider that it isn't wanted; whether that was heard makes no difference here. */
  cancel(id: string): Promise<void>;
}

/** What can be asked at the address of a request, with its headers. */
function responseApi(base: typeof fetch, input: Parameters<typeof fetch>[0], init: RequestInit): ResponseApi {
  const { signal = null } = init;
  const headers = new Headers(init.headers);
  // They are of the request that begins it alone.
  headers.delete('content-type');
  headers.delete('idempotency-key');
  const addressOf = (id: string, more = ''): string => {
    const url = new URL(input instanceof Request ? input.url : input);
    url.pathname += `/${encodeURIComponent(id)}${more}`;
    return url.href;
  };
  return {
    signal,
    post: async (body) => replyOf(await base(input, { ...init, body: JSON.stringify(body) })),
    look: async (id) => replyOf(await base(addressOf(id), { method: 'GET', headers, signal })),
    cancel: async (id) => {
      const request = { method: 'POST', headers, signal: AbortSignal.timeout(patienceMs) };
      await base(addressOf(id, '/cancel'), request).then(
        (response) => response.body?.cancel(),
        () => undefined,
      );
    },
  };
}

async function replyOf(response: Response): Promise<Reply> {
  const { status, statusText, headers } = response;
  const text = await response.text();
  const body = response.ok ? parsed(text) : {};
  const textOf = (name: string): string | null => (typeof body[name] === 'string' ? body[name] : null);
  return {
    status,
    id: textOf('id'),
    state: textOf('status'),
    error: isObject(body['error'] ?? null) ? (body['error'] as JsonObject) : null,
    response: () => new Response(text, { status, statusText, headers: withoutLength(headers) }),
  };
}

/** The text is as long as it is once it is unpacked. */
function withoutLength(given: Headers): Headers {
  const headers = new Headers(given);
  headers.delete('content-encoding');
  headers.delete('content-length');
  return headers;
}

function parsed(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

interface Holding {
  notes: AttemptNotes;
  beat: () => void;
  /** That of the attempt. */
  signal: AbortSignal;
  server: ServerAccess;
}

/** The response of an attempt, whose id stands in its heartbeats. */
export function heldResponse({ notes, beat, signal, server }: Holding): HeldResponse {
  return {
    get id() {
      return notes.responseId;
    },
    async hold(id) {
      notes.responseId = id;
      beat();
      // Where the server can't be told now, the heartbeats tell it.
      await server.recordDetails(notes.details()).catch(() => undefined);
    },
    isUnwanted: async () => isTimeout(signal) || isUnwanted(server),
  };
}
