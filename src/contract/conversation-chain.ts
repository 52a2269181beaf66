import { sha256Hex } from './digest.js';
import { canonicalJson, type JsonValue } from './json.js';
import type { Message } from './model-call.js';

/**
 * Digests of a conversation's beginnings, one for each message: that at `i` stands for the messages up to and with it. Two
 * conversations that begin alike have the same ones as far as they do.
 */
export function conversationChain(messages: readonly Message[], before = ''): string[] {
  const chain: string[] = [];
  let digest = before;
  for (const message of messages) {
    digest = sha256Hex(digest + canonicalJson(message as unknown as JsonValue)).slice(0, 32);
    chain.push(digest);
  }
  return chain;
}
