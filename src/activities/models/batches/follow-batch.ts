import { setTimeout as delay } from 'node:timers/promises';
import type { HeldResponse } from '../background/background-fetch.js';
import { Fault } from '../../retries/fault.js';
import type { BatchApi, EndedBatch } from './batch-api.js';

const firstWaitMs = 500;
const longestWaitMs = 60_000;
const growth = 1.5;

/**
 * Waits for the end of a batch. One that nobody wants any more is cancelled at the provider; one that the provider has lost has
 * ended without answers.
 * @throws Fault where the provider can't be asked; what the signal was aborted for
 */
export async function followBatch(
  api: BatchApi,
  id: string,
  held: HeldResponse,
  signal: AbortSignal,
): Promise<EndedBatch> {
  try {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * growth, longestWaitMs)) {
      const ended = await api.look(id);
      if (ended !== null) return ended;
      await delay(waitMs, undefined, { signal });
    }
  } catch (error) {
    if (error instanceof Fault && error.status === 404) return { answers: new Map(), state: 'lost' };
    // Else it is paid for to its end.
    if (signal.aborted && (await held.isUnwanted())) await api.cancel(id);
    throw error;
  }
}
