import type { Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import { isUnanswered } from '../runs/is-unanswered.js';
import type { Asking } from '../runs/view-run.js';

/** How runs are asked where nobody waits longer than so many ms for each answer. @throws TactusError no_worker */
export function askingWithin(client: Client, answerMs: number): Asking {
  const bounded = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await client.withDeadline(Date.now() + answerMs, question);
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      throw new TactusError('no_worker', `No worker has answered within ${answerMs / 1_000} s`);
    }
  };
  return { ask: bounded, look: bounded };
}
