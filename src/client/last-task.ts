import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

type Page = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseResponse;

/** What came after the last task is seldom more. */
const pageEvents = 20;

/** Events of an execution's history up to its last workflow task that was completed; 0 where none was. No worker is asked. */
export async function lastTaskOf(
  { workflowService, options }: Client,
  execution: { workflowId: string; runId: string },
): Promise<number> {
  let nextPageToken: Uint8Array | null = null;
  do {
    const page: Page = await workflowService.getWorkflowExecutionHistoryReverse({
      namespace: options.namespace,
      execution,
      maximumPageSize: pageEvents,
      nextPageToken,
    });
    for (const { workflowTaskCompletedEventAttributes: completed } of page.history?.events ?? [])
      if (completed != null) return Number(completed.startedEventId ?? 0);
    nextPageToken = page.nextPageToken ?? null;
  } while (nextPageToken !== null && nextPageToken.length > 0);
  return 0;
}
