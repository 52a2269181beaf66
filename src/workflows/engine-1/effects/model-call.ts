import type { ModelCall, ModelCallResult } from '../../../contract/models/model-call.js';
import { addUsage, callModel } from '../../models/ask-alone.js';
import { idempotencyKey, type EffectContext } from './context.js';

/** One request to a language model: bought once, and replayed from history ever after. */
export async function performModelCall(
  context: EffectContext,
  position: string,
  call: ModelCall,
): Promise<ModelCallResult> {
  const calls = { limits: context.limits, settings: {} };
  const result = await callModel(call, calls, {
    key: idempotencyKey(context, position),
    title: call.agent,
  });
  context.usage = addUsage(context.usage, result.usage, result.model);
  return result;
}
