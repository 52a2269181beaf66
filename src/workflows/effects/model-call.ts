import type { Effect } from '../../contract/effects.js';
import type { ModelCall, ModelCallResult } from '../../contract/model-call.js';
import type { Usage } from '../../contract/usage.js';
import type { EffectKindOf } from '../effect-kind.js';
import { remoteActivities } from './activities.js';
import { idempotencyKey } from './idempotency-key.js';

const defaultTimeoutMs = 300_000;

/** One request to a language model: bought once, and replayed from history ever after. */
export const modelCall: EffectKindOf<Extract<Effect, { kind: 'model_call' }>> = {
  failure: 'model_call_failed',
  wait: 'activity',
  isRemote: true,
  perform(context, opened, { call }) {
    const key = idempotencyKey(context, opened.position);
    opened.follow(
      () => callModel(call, context.limits.heartbeatMs, key),
      (result) => {
        context.usage = addUsage(context.usage, result);
        opened.answer(result);
      },
    );
  },
};

export function callModel(
  call: ModelCall,
  heartbeatMs: number,
  idempotencyKey: string,
): Promise<ModelCallResult> {
  const { agent, model, messages, settings } = call;
  const summary = `${agent} · ${model ?? 'default model'} · ${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`;
  const { modelCall } = remoteActivities(settings.timeoutMs ?? defaultTimeoutMs, heartbeatMs, summary);
  return modelCall({ call, idempotencyKey });
}

export function addUsage(before: Usage, { usage, model }: ModelCallResult): Usage {
  return {
    input_tokens: before.input_tokens + usage.input_tokens,
    output_tokens: before.output_tokens + usage.output_tokens,
    // The local model is free; what others cost is not known yet.
    cost_usd: model.startsWith('local/') ? before.cost_usd : null,
  };
}
