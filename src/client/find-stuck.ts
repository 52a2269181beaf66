import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { ListedRun } from './list-runs.js';
import { stuckOf, type Stuck } from './stuck.js';

const atOnce = 10;

/** Which of some runs are stuck, by their ids: the server is asked for each open one, and no worker. */
export async function findStuck(client: Client, runs: readonly ListedRun[]): Promise<Map<string, Stuck>> {
  const found = new Map<string, Stuck>();
  const open = runs.filter(({ closed_at }) => closed_at === null);
  let next = 0;
  const look = async (): Promise<void> => {
    for (let run = open[next++]; run !== undefined; run = open[next++]) {
      const handle = client.workflow.getHandle(run.run_id);
      const description = await handle.describe().catch(ifThere);
      const stuck = description === null ? null : await stuckOf(handle, description);
      if (stuck !== null) found.set(run.run_id, stuck);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, look));
  return found;
}

/** The list may still have what was deleted. */
function ifThere(error: unknown): null {
  if (error instanceof WorkflowNotFoundError) return null;
  throw error;
}
