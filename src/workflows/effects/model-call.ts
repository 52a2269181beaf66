import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { CallUsage, ModelCall, ModelCallResult } from '../../contract/model-call.js';
import type { ContinuedCallInput } from '../../contract/activities.js';
import { changesOf } from '../../contract/engine.js';
import { getOwn } from '../../contract/json.js';
import { providerOf } from '../../contract/model-queue.js';
import type { Position } from '../../contract/position.js';
import { callCost, nothingUsed, sumUsage, type Usage } from '../../contract/usage.js';
import type { RunContext } from '../context.js';
import { performing } from '../effect-kind.js';
import { failedOutcome } from '../outcome.js';
import { remoteActivities, type CallOptions } from '../performing/activities.js';
import { idempotencyKey } from '../performing/idempotency-key.js';
import { steeringOf } from '../steering.js';

/** One request to a language model: bought once, and replayed from history ever after. */
export const modelCall = performing('model_call', {
  perform(context, opened, { call }) {
    const { position } = opened;
    const asked = {
      key: idempotencyKey(context, position),
      title: opened.request.title,
      taskQueue: queueOf(context, call),
    };
    const sent = byParts(context) ? context.conversations.look(call) : null;
    if (sent !== null) context.conversations.sent(call);
    const prefix = sent?.prefix ?? null;
    if (call.isInTurn === true) steeringOf(context).watch(opened, call.agent);
    opened.follow(
      () =>
        callModel(sent?.call ?? call, opened.calls, prefix === null ? asked : { ...asked, prefix, position }),
      (result) => {
        context.usage = addUsage(context.usage, result.usage, result.model);
        opened.answer(result);
      },
      (error) => {
        const spent = spentInVain(error);
        if (spent !== null) context.usage = addUsage(context.usage, spent, '');
        const told =
          spent === null || !changesOf(context.engine)('budgets')
            ? {}
            : { usage: addUsage(nothingUsed, spent, '') };
        opened.end({ ...failedOutcome(error, opened.definition.failure), ...told });
      },
    );
  },
  bytes: (context, { call }) => (byParts(context) ? context.conversations.look(call).bytes : null),
});

function byParts({ engine }: RunContext): boolean {
  return changesOf(engine)('conversations-by-parts');
}

/** The queue that the run's settings have for the models of a provider. */
function queueOf({ engine, start }: RunContext, { model }: ModelCall): string | undefined {
  const { modelQueues } = start.settings ?? {};
  if (modelQueues === undefined || model === null || !changesOf(engine)('model-queues')) return undefined;
  const provider = providerOf(model);
  return provider === null ? undefined : getOwn(modelQueues, provider);
}

interface AskedCall {
  /** For idempotency. */
  key: string;
  title: string;
  /** Left out: the call has all messages. */
  prefix?: ContinuedCallInput['prefix'];
  position?: Position;
  /** Left out: that of the run. */
  taskQueue?: string | undefined;
}

export function callModel(
  call: ModelCall,
  calls: CallOptions,
  { key, title, prefix, position = '', taskQueue }: AskedCall,
): Promise<ModelCallResult> {
  const { model, settings } = call;
  const summary = `${title} · ${model ?? 'default model'}`;
  const timeoutMs = settings.timeoutMs ?? calls.settings.requestTimeoutMs ?? calls.limits.modelTimeoutMs;
  const remote = { policy: settings.retry, timeoutMs, summary, taskQueue };
  const { modelCall, continuedModelCall, tries } = remoteActivities(calls, remote);
  const input = { call: { ...call, settings: { ...settings, timeoutMs } }, idempotencyKey: key, tries };
  return prefix === undefined ? modelCall(input) : continuedModelCall({ ...input, prefix, position });
}

/** What answers cost that couldn't be used, as the activity's failure tells. */
function spentInVain(error: unknown): CallUsage | null {
  const cause = error instanceof ActivityFailure ? error.cause : null;
  const [details] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  const { spent } = (details ?? {}) as { spent?: CallUsage };
  return typeof spent?.input_tokens === 'number' ? spent : null;
}

export function addUsage(before: Usage, call: CallUsage, model: string): Usage {
  return sumUsage(before, { ...call, cost_usd: callCost(call, model) });
}
