import type { ModelCall } from '../contract/model-call.js';

/** A conversation in which nobody has said anything yet: OpenAI answers a system prompt alone, others want a word first. */
export function openedCall(call: ModelCall, provider: string): ModelCall {
  const { messages, system } = call;
  if (messages.length > 0) return call;
  if (provider !== 'openai' || system === null)
    return { ...call, messages: [{ role: 'user', content: 'Hello' }] };
  return { ...call, system: null, messages: [{ role: 'system', content: system }] };
}
