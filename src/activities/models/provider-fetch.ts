import type { AnswerBounds } from '../../egress/answer-bounds.js';
import { egressFetch, type Egress } from '../../egress/egress-fetch.js';
import { Fault } from '../retries/fault.js';

/**
 * A `fetch` for calls that carry a key. It follows no redirect, and refuses a web page where an API was expected (the answer of a proxy or a login page, with status 200).
 */
export function providerFetch(egress: Egress, bounds: AnswerBounds): typeof fetch {
  const base = egressFetch(egress, bounds);
  return async (input, init) => {
    const response = await base(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && /^text\/html\b/i.test(type)) {
      await response.body?.cancel();
      throw new Fault('answered with a web page (text/html); is the base URL right?', {
        status: response.status,
        retryable: true,
      });
    }
    return response;
  };
}
