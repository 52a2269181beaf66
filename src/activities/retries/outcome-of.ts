import { ApplicationFailure } from '@temporalio/common';
import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import { isErrorCode } from '../../contract/errors.js';

/** Work that failed for good as an answer. @throws what may go better the next time */
export async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: (await work) as never };
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    const { type, message } = error;
    if (typeof type !== 'string' || !isErrorCode(type)) throw error;
    return { ok: false, code: type, message };
  }
}
