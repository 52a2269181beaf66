import { Context } from '@temporalio/activity';
import type { ModelCallInput } from '../../contract/activities.js';
import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { asJson, isObject, jsonSize } from '../../contract/json/json.js';
import type { CallUsage, ModelCallResult } from '../../contract/models/model-call.js';
import { Fault, ownAttempt } from '../retries/failures.js';

/** One attempt at a call of a model, before its provider is asked. */
export interface ModelAttemptPlan {
  /** The same for all attempts at one call, whatever becomes of their workers. */
  callId: string;
  attemptId: string;
  /** 1 for the first. */
  attemptNumber: number;
  maxAttempts: number;
  provider: string;
  model: string;
  /** Estimated by the size of what is sent. */
  inputTokens: number;
  /** null: the author doesn't bound them. */
  maxOutputTokens: number | null;
  /** SHA-256 of what is asked. */
  requestHash: string;
}

/** What the host says of an attempt. */
export type ModelAttemptReservation =
  | { status: 'approved'; reservationId: string }
  | { status: 'rejected'; reason: string }
  /** An attempt before has succeeded, and this is its result. */
  | { status: 'replay'; reservationId: string; result: ModelCallResult };

/** What became of an attempt. */
export interface ModelAttemptOutcome {
  plan: ModelAttemptPlan;
  reservationId: string | null;
  /**
   * `failed`: the provider said that it did nothing, or its answer was of no use. `outcome_unknown`: it may be at the answer, and
   * charge for it; nobody asks again.
   */
  status: 'succeeded' | 'failed' | 'rejected' | 'replayed' | 'outcome_unknown';
  usage: CallUsage | null;
  /** For `replay`, where the attempt succeeded. */
  result: ModelCallResult | null;
  error: string | null;
}

/**
 * A host's say over each attempt at a call of a model: it approves it, rejects it, or hands over the result of an attempt
 * before, and is told what became of it. Tactus's `ModelAttemptAuthority`.
 */
export interface ModelAttemptAuthority {
  reserve(plan: ModelAttemptPlan): Promise<ModelAttemptReservation>;
  /** Where it throws, the attempt has failed, and the next one is planned. */
  settle(outcome: ModelAttemptOutcome): Promise<void>;
}

/**
 * One attempt, as the host has it.
 * @throws TactusError model_call_failed where the host rejects it; outcome_unknown
 */
export async function underAuthority(
  authority: ModelAttemptAuthority,
  plan: ModelAttemptPlan,
  ask: () => Promise<ModelCallResult>,
): Promise<ModelCallResult> {
  const subject = `${plan.provider}/${plan.model}`;
  const reservation = await authority.reserve(plan);
  const settle = (
    status: ModelAttemptOutcome['status'],
    more: Partial<ModelAttemptOutcome> = {},
  ): Promise<void> => {
    const reservationId = reservation.status === 'rejected' ? null : reservation.reservationId;
    return authority.settle({
      ...{ plan, reservationId, status, usage: null, result: null, error: null },
      ...more,
    });
  };
  if (reservation.status === 'rejected') {
    await settle('rejected', { error: reservation.reason });
    throw new TactusError(
      'model_call_failed',
      `${subject}: the host rejects the call: ${reservation.reason}`,
    );
  }
  if (reservation.status === 'replay') {
    const { result } = reservation;
    if (!isResult(result))
      throw new TactusError('model_call_failed', `${subject}: the host replays no result`);
    await settle('replayed', { usage: result.usage });
    return result;
  }
  const result = await ask().catch(async (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const isKnown = error instanceof TactusError || (error instanceof Fault && isSettled(error));
    await settle(isKnown ? 'failed' : 'outcome_unknown', { error: message });
    if (isKnown) throw error;
    throw new TactusError('outcome_unknown', `${subject}: ${message}; nobody knows whether it answers`);
  });
  await settle('succeeded', { usage: result.usage, result });
  return result;
}

export function attemptPlan(
  { call, idempotencyKey, tries }: ModelCallInput,
  provider: string,
  model: string,
): ModelAttemptPlan {
  const { attempt } = Context.current().info;
  const { system, messages, tools, providerTools, outputSchema, settings } = call;
  const provided =
    providerTools === undefined ? [] : [providerTools.map(({ source, args }) => [source, args])];
  const request = asJson([system, messages, tools, outputSchema, ...provided]);
  return {
    callId: idempotencyKey,
    attemptId: `${idempotencyKey}#${attempt}`,
    attemptNumber: ownAttempt(),
    maxAttempts: tries?.attempts ?? 1,
    provider,
    model,
    inputTokens: Math.ceil(jsonSize(request) / bytesOfToken),
    maxOutputTokens: settings.maxTokens ?? null,
    requestHash: digestOf(request),
  };
}

/** What tokenizers make of most texts. */
const bytesOfToken = 4;

/** The provider has answered, if only that it won't. */
function isSettled({ status, isAnswer }: Fault): boolean {
  return status !== null || isAnswer;
}

function isResult(result: ModelCallResult): boolean {
  const given = asJson(result);
  return isObject(given) && typeof given['text'] === 'string' && Array.isArray(given['toolCalls']);
}
