import { Context } from '@temporalio/activity';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** What an activity has told last, by its context. */
const told = new WeakMap<Context, JsonObject>();

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
  told.set(context, details);
  context.heartbeat(details);
}

/** Tells how often a call has come to a worker that can't make it, beside what the attempt after this one is to know. */
export function heartbeatPassed(passed: number): void {
  const context = Context.current();
  heartbeat(context, { ...(told.get(context) ?? foundDetails()), passed });
}

/** What stands there is lost with a heartbeat that says nothing of it. */
function foundDetails(): JsonObject {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails?: JsonValue };
  return isObject(heartbeatDetails ?? null) ? (heartbeatDetails as JsonObject) : {};
}
