import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { waitUntil } from './wait-until.js';

/** A reset is a workflow task that failed with this message. */
export const resetReason = 'reset by a test';

export interface ResetOptions {
  /** The execution whose history is kept up to there; left out: the run's newest. */
  execution?: string;
  /** Which of its completed workflow tasks is done again: 0 is the first, -1 the last. */
  task?: number;
  /** Whether the run is given again what was sent to it since. */
  reapply?: boolean;
}

/** Resets a run as `temporal workflow reset` does, and gives the id of the execution that goes on. */
export async function resetRun(
  client: Client,
  workflowId: string,
  { execution, task = 0, reapply = true }: ResetOptions = {},
): Promise<string> {
  const handle = client.workflow.getHandle(workflowId);
  const newest = (await handle.describe()).runId;
  const runId = execution ?? newest;
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const completed = (history.events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  const types = temporal.api.enums.v1.ResetReapplyType;
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: completed.at(task)?.eventId ?? null,
    requestId: randomUUID(),
    reason: resetReason,
    resetReapplyType: reapply ? types.RESET_REAPPLY_TYPE_ALL_ELIGIBLE : types.RESET_REAPPLY_TYPE_NONE,
  });
  return waitUntil(async () => {
    const now = (await handle.describe()).runId;
    return now !== newest && now;
  });
}
