import { defaultLimits } from '../../../contract/limits.js';
import { networkReason } from '../../network-reason.js';
import { ToolFailed } from '../tool-failed.js';

/** Time of one request where whoever sends it says nothing, in ms. */
const patienceMs = 30_000;
/** What one answer may hold: nothing larger could be recorded. */
const mostBytes = 4 * defaultLimits.payloadBytes;
/** The other side never heard of it. */
const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** An agent was not reached, so nothing was done. */
export class NotReached extends Error {
  override readonly name = 'NotReached';
}

/**
 * A `fetch` for one agent. What leads elsewhere, a card that names another host say, or a redirect, isn't followed: the headers
 * hold what this host alone may know. An answer that has no end is cut.
 * @throws ToolFailed where the agent doesn't let us in, or names another host; NotReached
 */
export function agentFetch(
  address: string,
  headers: Readonly<Record<string, string>>,
  given: typeof fetch,
): typeof fetch {
  const { origin } = new URL(address);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new ToolFailed(`it wants to be reached at ${url.origin}, and ${origin} is configured`);
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const signal = init?.signal ?? AbortSignal.timeout(patienceMs);
    const sent = { ...init, headers: all, signal, redirect: 'manual' as const };
    const response = await given(url, sent).catch((error: unknown) => {
      const reason = networkReason(error);
      if (reason === null) throw error;
      const told = `can't be reached (${reason})`;
      throw unreached.has(reason)
        ? new NotReached(told, { cause: error })
        : new Error(told, { cause: error });
    });
    const { status } = response;
    if (status === 401 || status === 403) throw new ToolFailed(`it doesn't let us in: HTTP ${status}`);
    if (status >= 300 && status < 400) throw new ToolFailed(`it answers with a redirect: HTTP ${status}`);
    return bounded(response);
  };
}

function bounded(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      size += piece.length;
      if (size > mostBytes) controller.error(new Error(`it answers with more than ${mostBytes} bytes`));
      else controller.enqueue(piece);
    },
  });
  return new Response(body.pipeThrough(limit), { status, statusText, headers });
}
