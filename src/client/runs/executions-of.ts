import type { Client } from '@temporalio/client';
import { startedEvent } from './started-event.js';

/** The executions of a workflow that follow each other by continuing as new, the oldest first, up to `last`; those that the server still has. */
export async function executionsOf(client: Client, workflowId: string, last: string): Promise<string[]> {
  const executions: string[] = [];
  for (let runId = last; runId !== '';) {
    const started = await startedEvent(client, workflowId, runId);
    if (started === null) break;
    executions.unshift(runId);
    runId = started.continuedExecutionRunId ?? '';
  }
  return executions;
}
