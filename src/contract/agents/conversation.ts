import { sha256Hex } from '../effects/digest.js';
import type { Effect } from '../effects/effects.js';
import {
  asJson,
  canonicalJson,
  isObject,
  jsonAs,
  jsonSize,
  type JsonObject,
  type JsonValue,
} from '../json/json.js';
import type { Message } from '../models/model-call.js';

/** Shorter conversations are sent again: what stands in their place isn't much shorter. In bytes of JSON. */
const leastBytes = 4_000;

/** Whether nothing is gained by sending its digest in place of it. */
export function isShort(messages: readonly Message[]): boolean {
  return jsonSize(messages) < leastBytes;
}

/**
 * Digests of a conversation's beginnings, one for each message: that at `i` stands for the messages up to and with it. Two
 * conversations that begin alike have the same ones as far as they do.
 */
export function conversationChain(messages: readonly Message[], before = ''): string[] {
  const chain: string[] = [];
  let digest = before;
  for (const message of messages) {
    digest = sha256Hex(digest + canonicalJson(asJson(message))).slice(0, 32);
    chain.push(digest);
  }
  return chain;
}

/** What a model's call, or an agent's turn, gave, without what the model thought. */
export function withoutThoughts(type: string, result: JsonValue): JsonValue {
  if (!isObject(result)) return result;
  if (type === 'model_call') return dropThoughts(result);
  const { messages } = result;
  if (type !== 'agent_turn' || !Array.isArray(messages)) return result;
  return { ...result, messages: messages.map((each) => (isObject(each) ? dropThoughts(each) : each)) };
}

/** What was asked for, without what models had thought before in the conversation. */
export function askedWithoutThoughts(effect: Effect): Effect {
  if (effect.kind !== 'model_call') return effect;
  const messages = effect.call.messages.map((each) => jsonAs<Message>(dropThoughts(asJson(each))));
  return { ...effect, call: { ...effect.call, messages } };
}

function dropThoughts({ thoughts: _, ...rest }: JsonObject): JsonObject {
  return rest;
}
