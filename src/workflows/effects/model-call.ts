import type { ModelCall, ModelCallResult } from '../../contract/model-call.js';
import type { Usage } from '../../contract/usage.js';
import { performing } from '../effect-kind.js';
import { remoteActivities, type CallOptions } from '../performing/activities.js';
import { idempotencyKey } from '../performing/idempotency-key.js';

/** One request to a language model: bought once, and replayed from history ever after. */
export const modelCall = performing('model_call', {
  perform(context, opened, { call }) {
    const key = idempotencyKey(context, opened.position);
    opened.follow(
      () => callModel(call, opened.calls, key),
      (result) => {
        context.usage = addUsage(context.usage, result);
        opened.answer(result);
      },
    );
  },
});

export function callModel(
  call: ModelCall,
  calls: CallOptions,
  idempotencyKey: string,
): Promise<ModelCallResult> {
  const { agent, model, messages, settings } = call;
  const summary = `${agent} · ${model ?? 'default model'} · ${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`;
  const timeoutMs = settings.timeoutMs ?? calls.settings.requestTimeoutMs ?? calls.limits.modelTimeoutMs;
  const { modelCall, tries } = remoteActivities(calls, { policy: settings.retry, timeoutMs, summary });
  return modelCall({ call: { ...call, settings: { ...settings, timeoutMs } }, idempotencyKey, tries });
}

export function addUsage(before: Usage, { usage, model }: ModelCallResult): Usage {
  return {
    input_tokens: before.input_tokens + usage.input_tokens,
    output_tokens: before.output_tokens + usage.output_tokens,
    // The local model is free; what others cost is not known yet.
    cost_usd: model.startsWith('local/') ? before.cost_usd : null,
  };
}
