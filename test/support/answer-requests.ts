import { setTimeout as delay } from 'node:timers/promises';
import type { TactusClient } from '../../src/client/tactus-client.js';
import type { HumanRequest } from '../../src/contract/people/human-request.js';
import type { JsonValue } from '../../src/contract/json/json.js';

/** A person who answers whatever a run and its child runs ask, as soon as it is seen, until told to stop. */
export function answerRequests(
  tactus: TactusClient,
  runId: string,
  answer: (request: HumanRequest) => JsonValue | undefined,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const answering = (async () => {
    while (!stopped.signal.aborted) {
      try {
        for (const request of await tactus.pending(runId)) {
          const value = answer(request);
          if (value !== undefined)
            await tactus.decide({ request: request.id, value, id: `answer to ${request.id}` });
        }
      } catch {
        // No worker lives, or the run has closed: seen at the next look, or by whoever awaits the result.
      }
      await delay(100, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: () => {
      stopped.abort();
      return answering;
    },
  };
}
