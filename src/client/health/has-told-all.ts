import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { inOwnTime } from '../server/in-own-time.js';
import type { ServerRow } from '../lists/server-list.js';

type Page = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseResponse;

/** What came after the last task is seldom more. */
const pageEvents = 20;

/**
 * Whether a run has told all that there is of it: no workflow task of its last execution was completed since. What it told in one that was
 * never completed is more. No worker is asked.
 */
export async function hasToldAll(
  client: Client,
  { run_id: workflowId, execution: runId }: Pick<ServerRow, 'run_id' | 'execution'>,
  told: { execution: string; length: number } | null | undefined,
): Promise<boolean> {
  if (told === null || told === undefined || told.length === 0 || told.execution !== runId) return false;
  return told.length === (await lastTaskOf(client, { workflowId, runId }));
}

/** Events of an execution's history up to its last workflow task that was completed; 0 where none was. No worker is asked. */
async function lastTaskOf(client: Client, execution: { workflowId: string; runId: string }): Promise<number> {
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
