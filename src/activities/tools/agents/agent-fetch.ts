import { agentBounds } from '../../../egress/bounded-response.js';
import { egressFetch, type Egress } from '../../../egress/egress-fetch.js';
import { networkReason } from '../../http/http-fault.js';
import { ToolFailed } from '../tool-failed.js';

/** The other side never heard of it. */
const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** An agent was not reached, so nothing was done. */
export class NotReached extends Error {
  override readonly name = 'NotReached';
}

/**
 * A `fetch` for one agent. What leads elsewhere, a card that names another host say, or a redirect, isn't followed: the headers
 * hold what this host alone may know.
 * @throws ToolFailed where the agent doesn't let us in, or names another host; NotReached
 */
export function agentFetch(
  address: string,
  headers: Readonly<Record<string, string>>,
  egress: Egress,
): typeof fetch {
  const { origin } = new URL(address);
  const given = egressFetch(egress, agentBounds);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new ToolFailed(`it wants to be reached at ${url.origin}, and ${origin} is configured`);
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await given(url, { ...init, headers: all }).catch((error: unknown) => {
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
    return response;
  };
}
