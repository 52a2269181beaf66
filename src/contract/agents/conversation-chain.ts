import { sha256Hex } from '../effects/digest.js';
import { canonicalJson, jsonSize, type JsonValue } from '../json/json.js';
import type { Message } from '../models/model-call.js';

/** Shorter conversations are sent again: what stands in their place isn't much shorter. In bytes of JSON. */
const leastBytes = 4_000;

/** Whether nothing is gained by sending its digest in place of it. */
export function isShort(messages: readonly Message[]): boolean {
  return jsonSize(messages as unknown as JsonValue) < leastBytes;
}

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
