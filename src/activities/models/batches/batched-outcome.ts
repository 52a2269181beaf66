import type { BatchedOutcome } from '../../../contract/activities.js';
import type { ErrorCode } from '../../../contract/errors.js';
import { jsonSize, type JsonValue } from '../../../contract/json/json.js';
import { defaultLimits } from '../../../contract/runs/limits.js';
import type { CallUsage, ModelCallResult } from '../../../contract/models/model-call.js';
import type { CallNotes } from '../answer-call.js';
import { toFailure, type Edge } from '../../retries/failures.js';

/** What one call of a batch comes to: its failure is none of the others'. */
export async function batchedOutcome(
  edge: Edge,
  ask: (notes: CallNotes) => Promise<ModelCallResult>,
): Promise<BatchedOutcome> {
  let spent: CallUsage | null = null;
  const notes: CallNotes = { spent, pay: (paid) => (spent = paid), giveUp: () => undefined };
  try {
    return { ok: true, result: await ask(notes) };
  } catch (error) {
    const { type, message, nonRetryable } = toFailure(error, edge);
    const code = (type ?? edge.code) as ErrorCode;
    const isAgain = nonRetryable !== true;
    return { ok: false, code, message, isAgain, ...(spent === null ? {} : { spent }) };
  }
}

/** As many of them as a payload has room for, one at least; null in place of the others. */
export function fitting(outcomes: readonly (BatchedOutcome | null)[]): (BatchedOutcome | null)[] {
  let bytes = 0;
  return outcomes.map((outcome, index) => {
    bytes += jsonSize(outcome as unknown as JsonValue) + 1;
    return index > 0 && bytes > defaultLimits.payloadBytes ? null : outcome;
  });
}
