import { conversationChain } from '../contract/conversation-chain.js';
import { jsonSize, type JsonValue } from '../contract/json.js';
import type { Message, ModelCall } from '../contract/model-call.js';

/** Shorter beginnings are sent again: what stands in their place isn't much shorter. In bytes of JSON. */
const leastBytes = 4_000;

/** A model call as it is sent: the beginning of its conversation by its digest, where workers have been sent that before. */
export interface SentCall {
  call: ModelCall;
  prefix: { digest: string; count: number } | null;
  bytes: number;
}

/**
 * What has been sent of conversations in one execution of a run. Each message goes into history once: a model is asked with what
 * is new, and with the digest of what isn't, which workers keep, or ask the run for.
 */
export class Conversations {
  private readonly known = new Set<string>();
  /** Worked out for the limit of a message to the server, and again for the call itself. */
  private readonly split = new WeakMap<ModelCall, SentCall>();

  /** How it would be sent now. */
  look(call: ModelCall): SentCall {
    const before = this.split.get(call);
    if (before !== undefined) return before;
    const sent = this.splitCall(call);
    this.split.set(call, sent);
    return sent;
  }

  /** From now on its messages are known. */
  sent({ messages }: ModelCall): void {
    if (sizeOf(messages) < leastBytes) return;
    const whole = conversationChain(messages).at(-1);
    if (whole !== undefined) this.known.add(whole);
  }

  private splitCall(call: ModelCall): SentCall {
    const all = { call, prefix: null, bytes: jsonSize(call as unknown as JsonValue) };
    if (this.known.size === 0) return all;
    const chain = conversationChain(call.messages);
    const last = chain.findLastIndex((digest) => this.known.has(digest));
    const digest = chain[last];
    if (digest === undefined) return all;
    const count = last + 1;
    const rest = { ...call, messages: call.messages.slice(count) };
    return { call: rest, prefix: { digest, count }, bytes: jsonSize(rest as unknown as JsonValue) };
  }
}

function sizeOf(messages: readonly Message[]): number {
  return jsonSize(messages as unknown as JsonValue);
}
