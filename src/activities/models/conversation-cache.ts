import { conversationChain } from '../../contract/agents/conversation-chain.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';

/** Messages are shared among the beginnings that have them: counted is what each has added. */
const mostBytes = 128 * 1024 * 1024;
const mostKept = 5_000;

interface Kept {
  messages: readonly Message[];
  bytes: number;
}

/** Conversations that this worker has sent to models, by the digest of their chain; those that weren't needed for long are dropped. */
export class ConversationCache {
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  get(digest: string): readonly Message[] | null {
    const found = this.kept.get(digest);
    if (found === undefined) return null;
    // The youngest is at the end.
    this.kept.delete(digest);
    this.kept.set(digest, found);
    return found.messages;
  }

  /** Keeps `before` with what was added to it; `digest` is that of `before`. Gives all of it. */
  keep(before: readonly Message[], added: readonly Message[], digest = ''): readonly Message[] {
    const messages = [...before, ...added];
    const whole = conversationChain(added, digest).at(-1);
    if (whole === undefined || this.kept.has(whole)) return messages;
    const bytes = jsonSize(added as unknown as JsonValue);
    this.kept.set(whole, { messages, bytes });
    this.bytes += bytes;
    for (const [oldest, { bytes: its }] of this.kept) {
      if (this.bytes <= mostBytes && this.kept.size <= mostKept) break;
      this.kept.delete(oldest);
      this.bytes -= its;
    }
    return messages;
  }
}
