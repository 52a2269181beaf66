import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { TactusError, type RunError } from '../../contract/errors.js';
import { withOwnDeadline } from '../server/server-calls.js';
import type { ListedRun, ServerRow } from '../lists/server-list.js';
import { TactusRun } from '../tactus-run.js';
import { endOf } from './view-run.js';

/** A run as the server describes it; null where there is none. No worker is asked. */
export async function serverRun(client: Client, runId: string): Promise<ServerRow | null> {
  try {
    const found = await withOwnDeadline(client, () => client.workflow.getHandle(runId).describe());
    return {
      run_id: runId,
      execution: found.runId,
      procedure: '',
      status: endOf(found.status.name) ?? 'running',
      started_at: found.startTime.toISOString(),
      closed_at: found.closeTime?.toISOString() ?? null,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** The same with what it ended with, where it has ended. */
export async function serverRunWithEnd(
  client: Client,
  runId: string,
): Promise<(ServerRow & { error: RunError | null }) | null> {
  const run = await serverRun(client, runId);
  return run === null ? null : { ...run, error: await endErrorOf(client, run) };
}

/** What a run ended with, without asking a worker; null where it goes on, or has completed. */
export async function endErrorOf(
  client: Client,
  { run_id, status, closed_at }: ListedRun,
): Promise<RunError | null> {
  if (status === 'completed' || closed_at === null) return null;
  try {
    await withOwnDeadline(client, () => new TactusRun(client.workflow.getHandle(run_id), run_id).result());
  } catch (error) {
    if (error instanceof TactusError) return error.toRunError();
  }
  return null;
}

type Page = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseResponse;

/** What came after the last task is seldom more. */
const pageEvents = 20;

/**
 * Whether a run has told all that there is of it: no workflow task of its last execution was completed since. What it told in one that was
 * never completed is more. No worker is asked.
 */
export async function isUpToDate(
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
    const page: Page = await withOwnDeadline(client, () =>
      client.workflowService.getWorkflowExecutionHistoryReverse(asked),
    );
    for (const { workflowTaskCompletedEventAttributes: completed } of page.history?.events ?? [])
      if (completed != null) return Number(completed.startedEventId ?? 0);
    nextPageToken = page.nextPageToken ?? null;
  } while (nextPageToken !== null && nextPageToken.length > 0);
  return 0;
}
