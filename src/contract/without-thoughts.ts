import { isObject, type JsonObject, type JsonValue } from './json.js';

/** What a model's call, or an agent's turn, gave, without what the model thought. */
export function withoutThoughts(type: string, result: JsonValue): JsonValue {
  if (!isObject(result)) return result;
  if (type === 'model_call') return plain(result);
  const { messages } = result;
  if (type !== 'agent_turn' || !Array.isArray(messages)) return result;
  return { ...result, messages: messages.map((each) => (isObject(each) ? plain(each) : each)) };
}

function plain({ thoughts: _, ...rest }: JsonObject): JsonObject {
  return rest;
}
