import { Context } from '@temporalio/activity';

const longestIntervalMs = 5_000;
const shortestIntervalMs = 100;

/**
 * Runs the work and heartbeats meanwhile. Cancellation reaches an activity only in the answer to a heartbeat, and a
 * dead worker is noticed by their absence. Fires at once, so that a slow start doesn't use up the timeout. Local
 * activities have no heartbeats, and are cancelled without.
 */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  if (context.info.isLocal) return work();
  const timeoutMs = context.info.heartbeatTimeoutMs ?? Number.POSITIVE_INFINITY;
  const intervalMs = Math.max(shortestIntervalMs, Math.min(longestIntervalMs, timeoutMs / 3));
  context.heartbeat();
  const timer = setInterval(() => {
    context.heartbeat();
  }, intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
