import type { Effect } from '../effects/effects.js';
import { isObject, type JsonObject, type JsonValue } from '../json/json.js';
import type { Message } from '../models/model-call.js';

/** What a model's call, or an agent's turn, gave, without what the model thought. */
export function withoutThoughts(type: string, result: JsonValue): JsonValue {
  if (!isObject(result)) return result;
  if (type === 'model_call') return plain(result);
  const { messages } = result;
  if (type !== 'agent_turn' || !Array.isArray(messages)) return result;
  return { ...result, messages: messages.map((each) => (isObject(each) ? plain(each) : each)) };
}

/** What was asked for, without what models had thought before in the conversation. */
export function askedWithoutThoughts(effect: Effect): Effect {
  if (effect.kind !== 'model_call') return effect;
  const messages = effect.call.messages.map(
    (each) => plain(each as unknown as JsonObject) as unknown as Message,
  );
  return { ...effect, call: { ...effect.call, messages } };
}

function plain({ thoughts: _, ...rest }: JsonObject): JsonObject {
  return rest;
}
