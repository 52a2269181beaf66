import type { Client } from '@temporalio/client';
import { executionsOf } from './executions-of.js';

/**
 * Deletes a closed workflow from the server: the execution `last`, and those that had continued as new up to it, as far as they
 * are kept. The oldest first: whatever ends this halfway, the rest can still be found.
 */
export async function deleteExecutions(client: Client, workflowId: string, last: string): Promise<void> {
  const { namespace } = client.options;
  for (const runId of await executionsOf(client, workflowId, last))
    await client.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId, runId },
    });
}
