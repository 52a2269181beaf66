import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { ContinuedCallInput, ModelCallInput } from '../../contract/activities.js';
import type { Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import { changesOf } from '../../contract/engine.js';
import type { DetailsOf } from '../../contract/errors.js';
import {
  callCost,
  nothingUsed,
  sumCallUsage,
  sumUsage,
  type CallUsage,
  type ModelCall,
  type ModelCallResult,
  type Usage,
} from '../../contract/models/model-call.js';
import { idempotencyKey } from '../../contract/effects/idempotency-key.js';
import { holdTerms, type OpenEffect, type RunContext } from '../effects/effect-kind.js';
import { remoteActivities, type CallOptions } from '../effects/activities.js';
import { queueOfModel } from '../effects/call-queues.js';
import { failedOutcome } from '../effects/outcomes.js';

/**
 * Asks a model for one answer.
 * @param spent what was paid for it before, in vain
 */
export function askAlone(
  context: RunContext,
  opened: OpenEffect,
  call: ModelCall,
  spent: CallUsage | null = opened.spent,
): void {
  const { position } = opened;
  const asked = {
    key: idempotencyKey(context, position),
    title: opened.request.title,
    holds: holdTerms(context, position),
    taskQueue: queueOfModel(context, call),
  };
  const sent = sentCall(context, call);
  const prefix = sent?.prefix ?? null;
  opened.follow(
    () =>
      callModel(sent?.call ?? call, opened.calls, prefix === null ? asked : { ...asked, prefix, position }),
    (result) => answer(context, opened, { ...result, usage: sumCallUsage(spent, result.usage) }),
    (error) => {
      const now = spentInVain(error);
      const inVain = now === null ? spent : sumCallUsage(spent, now);
      failed(context, opened, failedOutcome(error, opened.definition.failure), inVain);
    },
  );
}

export function answer(context: RunContext, opened: OpenEffect, result: ModelCallResult): void {
  context.usage = addUsage(context.usage, result.usage, result.model);
  opened.answer(result);
}

/** @param spent in vain; null: nothing */
export function failed(
  context: RunContext,
  opened: OpenEffect,
  outcome: Outcome,
  spent: CallUsage | null,
): void {
  if (spent !== null) context.usage = addUsage(context.usage, spent, '');
  const told =
    spent === null || !changesOf(context.engine)('budgets')
      ? {}
      : { usage: addUsage(nothingUsed, spent, '') };
  opened.end({ ...outcome, ...told });
}

/** The call with what is new of its conversation, which is known from now on; null: runs of this engine send all of it. */
function sentCall(
  context: RunContext,
  call: ModelCall,
): ReturnType<RunContext['conversations']['look']> | null {
  if (!byParts(context)) return null;
  const sent = context.conversations.look(call);
  context.conversations.sent(call);
  return sent;
}

/** What an activity is given for a call that is asked together with others: it waits for as long as the others do. */
export function batchedInput(
  context: RunContext,
  { position }: OpenEffect,
  call: ModelCall,
): ModelCallInput | ContinuedCallInput {
  const sent = sentCall(context, call);
  const { timeoutMs: _, ...settings } = call.settings;
  const input = {
    call: { ...(sent?.call ?? call), settings },
    idempotencyKey: idempotencyKey(context, position),
  };
  const prefix = sent?.prefix ?? null;
  return prefix === null ? input : { ...input, prefix, position };
}

export function byParts({ engine }: RunContext): boolean {
  return changesOf(engine)('conversations-by-parts');
}

interface AskedCall {
  /** For idempotency. */
  key: string;
  title: string;
  /** Left out: a run of the first engine, which knows nothing of holds. */
  holds?: ReturnType<typeof holdTerms>;
  /** Left out: the call has all messages. */
  prefix?: ContinuedCallInput['prefix'];
  position?: Position;
  /** Left out: that of the run. */
  taskQueue?: string | undefined;
}

export function callModel(
  call: ModelCall,
  calls: CallOptions,
  { key, title, holds, prefix, position = '', taskQueue }: AskedCall,
): Promise<ModelCallResult> {
  const { model, settings } = call;
  const summary = `${title} · ${model ?? 'default model'}`;
  const timeoutMs = settings.timeoutMs ?? calls.settings.requestTimeoutMs ?? calls.limits.modelTimeoutMs;
  const remote = { policy: settings.retry, timeoutMs, summary, taskQueue };
  const { modelCall, continuedModelCall, tries } = remoteActivities(calls, remote);
  const input = {
    call: { ...call, settings: { ...settings, timeoutMs } },
    idempotencyKey: key,
    tries,
    ...holds,
  };
  return prefix === undefined ? modelCall(input) : continuedModelCall({ ...input, prefix, position });
}

/** What answers cost that couldn't be used, as the activity's failure tells. */
function spentInVain(error: unknown): CallUsage | null {
  const cause = error instanceof ActivityFailure ? error.cause : null;
  const [details] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  const { spent } = (details ?? {}) as DetailsOf<'model_call_failed'>;
  return typeof spent?.input_tokens === 'number' ? spent : null;
}

export function addUsage(before: Usage, call: CallUsage, model: string): Usage {
  return sumUsage(before, { ...call, cost_usd: callCost(call, model) });
}
