import type { History } from '../support/histories.js';

/** How often each activity was attempted until its outcome was recorded, by its idempotency key. */
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
        const { idempotencyKey } = JSON.parse(new TextDecoder().decode(data ?? new Uint8Array())) as {
          idempotencyKey: string;
        };
        keys.set(String(eventId), idempotencyKey);
      }
      if (started) attempts.set(keys.get(String(started.scheduledEventId)) ?? '', started.attempt ?? 1);
    }
  }
  return attempts;
}
