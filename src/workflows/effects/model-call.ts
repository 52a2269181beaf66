import type { ModelCall, ModelCallResult } from '../../contract/model-call.js';
import { remoteActivities } from './activities.js';
import { idempotencyKey, type EffectContext } from './context.js';

const defaultTimeoutMs = 300_000;

/** One request to a language model: bought once, and replayed from history ever after. */
export async function performModelCall(
  context: EffectContext,
  position: string,
  call: ModelCall,
): Promise<ModelCallResult> {
  const summary = `${call.agent} · ${call.model ?? 'default model'} · ${call.messages.length} ${call.messages.length === 1 ? 'message' : 'messages'}`;
  const { modelCall } = remoteActivities(
    call.settings.timeoutMs ?? defaultTimeoutMs,
    context.limits.heartbeatMs,
    summary,
  );
  const result = await modelCall({ call, idempotencyKey: idempotencyKey(context, position) });
  context.usage = {
    input_tokens: context.usage.input_tokens + result.usage.input_tokens,
    output_tokens: context.usage.output_tokens + result.usage.output_tokens,
    // The local model is free; what others cost is not known yet.
    cost_usd: result.model.startsWith('local/') ? context.usage.cost_usd : null,
  };
  return result;
}
