import { Context } from '@temporalio/activity';
import type { JsonObject } from '../../contract/json/json.js';
import type { CallUsage } from '../../contract/models/model-call.js';
import { passedBefore } from '../retries/failures.js';

/** What was paid for a call, for whoever hears of it in the end. */
export interface CallNotes {
  /** In vain, so far. */
  readonly spent: CallUsage | null;
  /** @param paid what was paid so far, with an answer that has come just now */
  pay(paid: CallUsage): void;
  /** What has come is of no use. */
  giveUp(): void;
}

/** What an attempt leaves in its heartbeats, where the one after it finds it. */
export class AttemptNotes implements CallNotes {
  /** What was paid for in vain, by this attempt and those before it. */
  spent: CallUsage | null;
  /** Id of what the provider works at on its own, a response or a batch; null: none, or one that is of no use. */
  responseId: string | null;

  /** The same as `spent`, with an answer that may yet be of use. */
  private pending: CallUsage | null = null;

  constructor() {
    const { heartbeatDetails } = Context.current().info as { heartbeatDetails?: unknown };
    const { spent, response } = (heartbeatDetails ?? {}) as { spent?: CallUsage; response?: unknown };
    this.spent = typeof spent?.input_tokens === 'number' ? spent : null;
    this.responseId = typeof response === 'string' ? response : null;
  }

  /** @param paid what was paid so far, with an answer that has come just now */
  pay(paid: CallUsage): void {
    if (this.responseId === null) this.spent = paid;
    // Whoever tries next reads it again, and pays no second time.
    else this.pending = paid;
  }

  /** What has come is of no use: whoever tries next asks anew. */
  giveUp(): void {
    this.spent = this.pending ?? this.spent;
    this.responseId = null;
  }

  /** As heartbeats have them. */
  details(): JsonObject {
    const passed = passedBefore();
    return {
      ...(passed === 0 ? {} : { passed }),
      ...(this.spent === null ? {} : { spent: { ...this.spent } }),
      ...(this.responseId === null ? {} : { response: this.responseId }),
    };
  }

  /** What whoever hears of a failure counts. */
  costs(): JsonObject {
    const spent = this.pending ?? this.spent;
    return spent === null ? {} : { spent: { ...spent } };
  }
}
