import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';

/** Time for a word to the provider that a response isn't wanted any more, in ms. */
const patienceMs = 5_000;

/** What was heard of a response. */
export interface Reply {
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
export interface ResponseApi {
  /** That of the request; null: it has none. */
  readonly signal: AbortSignal | null;
  post(body: JsonObject): Promise<Reply>;
  look(id: string): Promise<Reply>;
  /** Tells the provider that it isn't wanted; whether that was heard makes no difference here. */
  cancel(id: string): Promise<void>;
}

/** What can be asked at the address of a request, with its headers. */
export function responseApi(
  base: typeof fetch,
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
): ResponseApi {
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
