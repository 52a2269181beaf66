import { WorkflowNotFoundError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { forEachOf, recordId } from './storage-lists.ts';

/** Starts so many runs, for which there is no worker, and ends them. Waits until the server lists all. */
export async function startEndedRuns({ client }: TestWorkflowEnvironment, runs: number): Promise<void> {
  const source = { entry: 'main.tac', files: { 'main.tac': 'return 1' } };
  await forEachOf(runs, async (i) => {
    const start = { args: [{ source, input: {} }], taskQueue: 'nobody', workflowId: recordId(i) };
    const run = await client.workflow.start('tactus', start);
    await run.terminate().catch((error: unknown) => {
      // A server that is slow to answer is asked again, and has ended it by then.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
  });
  const isEnded = "ExecutionStatus = 'Terminated'";
  while ((await client.workflow.count(isEnded)).count < runs)
    await new Promise((done) => setTimeout(done, 100));
}
