import type { Client } from '@temporalio/client';

/** How a call of a run ended, and by which attempt. */
export interface EndedCall {
  outcome: 'completed' | 'failed' | 'cancelled';
  attempt: number;
}

const mostPages = 5;
const pageSize = 200;

/** Looks in the newest events of a run; null where the call hasn't ended, or nothing is found of it there. */
export async function howCallEnded(
  { workflowService, options: { namespace } }: Client,
  workflowId: string,
  activityId: string,
): Promise<EndedCall | null> {
  const outcomes = new Map<string, EndedCall['outcome']>();
  const attempts = new Map<string, number>();
  let nextPageToken: Uint8Array | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await workflowService.getWorkflowExecutionHistoryReverse({
      ...{ namespace, execution: { workflowId }, maximumPageSize: pageSize },
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    for (const event of answer.history?.events ?? []) {
      const completed = event.activityTaskCompletedEventAttributes;
      const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
      const cancelled = event.activityTaskCanceledEventAttributes;
      const started = event.activityTaskStartedEventAttributes;
      if (completed) outcomes.set(String(completed.scheduledEventId), 'completed');
      if (failed) outcomes.set(String(failed.scheduledEventId), 'failed');
      if (cancelled) outcomes.set(String(cancelled.scheduledEventId), 'cancelled');
      if (started) attempts.set(String(started.scheduledEventId), started.attempt ?? 1);
      if (event.activityTaskScheduledEventAttributes?.activityId !== activityId) continue;
      const outcome = outcomes.get(String(event.eventId));
      return outcome === undefined ? null : { outcome, attempt: attempts.get(String(event.eventId)) ?? 1 };
    }
    nextPageToken = answer.nextPageToken ?? undefined;
    if (nextPageToken === undefined || nextPageToken.length === 0) return null;
  }
  return null;
}
