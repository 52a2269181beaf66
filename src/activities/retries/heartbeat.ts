import { Context } from '@temporalio/activity';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { CallUsage } from '../../contract/models/model-call.js';
import { passedBefore } from './failures.js';

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

/** What an activity has told last, by its context. */
const lastDetails = new WeakMap<Context, JsonObject>();

const longestIntervalMs = 5_000;
const shortestIntervalMs = 100;

/**
 * Runs the work and heartbeats meanwhile. Cancellation reaches an activity only in the answer to a heartbeat, and a
 * dead worker is noticed by their absence. Fires at once, so that a slow start doesn't use up the timeout. Local
 * activities have no heartbeats, and are cancelled without.
 * @param details what an attempt after this one is to know, left out: what this one found; `beat` tells it soon
 */
export async function withHeartbeat<T>(
  work: (beat: () => void) => Promise<T>,
  details: () => JsonObject = foundDetails,
): Promise<T> {
  const context = Context.current();
  const beat = (): void => {
    if (!context.info.isLocal) heartbeat(context, details());
  };
  if (context.info.isLocal) return work(beat);
  const timeoutMs = context.info.heartbeatTimeoutMs ?? Number.POSITIVE_INFINITY;
  const intervalMs = Math.max(shortestIntervalMs, Math.min(longestIntervalMs, timeoutMs / 3));
  beat();
  const timer = setInterval(beat, intervalMs);
  try {
    return await work(beat);
  } finally {
    clearInterval(timer);
  }
}

/** Tells it at once, in place of what was told before. */
function heartbeat(context: Context, details: JsonObject): void {
  lastDetails.set(context, details);
  context.heartbeat(details);
}

/** Tells how often a call has come to a worker that can't make it, beside what the attempt after this one is to know. */
export function heartbeatPassed(passed: number): void {
  const context = Context.current();
  heartbeat(context, { ...(lastDetails.get(context) ?? foundDetails()), passed });
}

/** What stands there is lost with a heartbeat that says nothing of it. */
function foundDetails(): JsonObject {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails?: JsonValue };
  return isObject(heartbeatDetails ?? null) ? (heartbeatDetails as JsonObject) : {};
}
