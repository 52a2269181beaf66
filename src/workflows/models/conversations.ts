import { conversationChain, isShort } from '../../contract/agents/conversation.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { ModelCall } from '../../contract/models/model-call.js';

/** A model call as it is sent: the beginning of its conversation by its digest, where workers have been sent that before. */
export interface SentCall {
  call: ModelCall;
  prefix: { digest: string; count: number } | null;
  /** Digest of the whole conversation; null where it is short. */
  whole: string | null;
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
  sent(call: ModelCall): void {
    const { whole } = this.look(call);
    if (whole !== null) this.known.add(whole);
  }

  private splitCall(call: ModelCall): SentCall {
    const bytes = jsonSize(call as unknown as JsonValue);
    if (isShort(call.messages)) return { call, prefix: null, whole: null, bytes };
    const chain = conversationChain(call.messages);
    const whole = chain.at(-1) ?? null;
    const last = chain.findLastIndex((digest) => this.known.has(digest));
    const digest = chain[last];
    if (digest === undefined) return { call, prefix: null, whole, bytes };
    const count = last + 1;
    const rest = { ...call, messages: call.messages.slice(count) };
    return { call: rest, prefix: { digest, count }, whole, bytes: jsonSize(rest as unknown as JsonValue) };
  }
}
