import type { History } from './histories.js';

/** How often each activity was attempted until its outcome was recorded, by its idempotency key. Pauses have none. */
export function activityAttempts(histories: readonly History[]): Map<string, number> {
  const attempts = new Map<string, number>();
  for (const { events } of histories) {
    const keys = new Map<string, string>();
    for (const {
      eventId,
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskStartedEventAttributes: started,
    } of events ?? []) {
      if (scheduled) {
        const data = scheduled.input?.payloads?.[0]?.data;
        if (!data) continue;
        const { idempotencyKey } = JSON.parse(new TextDecoder().decode(data)) as { idempotencyKey: string };
        keys.set(String(eventId), idempotencyKey);
      }
      const key = keys.get(String(started?.scheduledEventId));
      if (key !== undefined) attempts.set(key, started?.attempt ?? 1);
    }
  }
  return attempts;
}
