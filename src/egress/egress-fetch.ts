import type { AnswerBounds } from './answer-bounds.js';
import { boundedResponse } from './bounded-response.js';

/** How requests leave this process. */
export interface Egress {
  /** Sends every request; the platform's own where it is left out. */
  fetch?: typeof fetch;
}

/** Who sends a request without a time for it waits so long for its head, in ms. */
const patienceMs = 30_000;

/**
 * The one way out: a `fetch` whose answers have an end. It follows no redirect, since that would take headers to
 * another host; what leads elsewhere is an answer.
 * @param onCut is told why the body of an answer was given up, for those whose library keeps that to itself
 * @throws TactusError payload_too_large, SilentAnswer, both while the body is read
 */
export function egressFetch(
  { fetch: send = fetch }: Egress,
  bounds: AnswerBounds,
  onCut?: (error: unknown) => void,
): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const sent = { ...init, redirect: 'manual' as const };
    const response = await send(input, { ...sent, signal: signal ?? AbortSignal.timeout(patienceMs) });
    return boundedResponse(response, bounds, onCut);
  };
}
