import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { inOwnTime } from './in-own-time.js';

type Page = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseResponse;

/** What came after the last task is seldom more. */
const pageEvents = 20;

/** Events of an execution's history up to its last workflow task that was completed; 0 where none was. No worker is asked. */
export async function lastTaskOf(
  client: Client,
  execution: { workflowId: string; runId: string },
): Promise<number> {
  let nextPageToken: Uint8Array | null = null;
  do {
    const asked = {
      ...{ namespace: client.options.namespace, execution },
      ...{ maximumPageSize: pageEvents, nextPageToken },
    };
    const page: Page = await inOwnTime(client, () =>
      client.workflowService.getWorkflowExecutionHistoryReverse(asked),
    );
    for (const { workflowTaskCompletedEventAttributes: completed } of page.history?.events ?? [])
      if (completed != null) return Number(completed.startedEventId ?? 0);
    nextPageToken = page.nextPageToken ?? null;
  } while (nextPageToken !== null && nextPageToken.length > 0);
  return 0;
}
