import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { eachOf } from '../server/each-of.js';
import type { ListedRun } from '../lists/server-list.js';
import { retryingOf, type Retrying } from './retrying.js';
import { stuckOf, type Stuck } from './stuck.js';

const atOnce = 10;

/** What the server knows of an open run that doesn't go on as it should. */
export interface Trouble {
  stuck: Stuck | null;
  retrying: Retrying[];
}

/** What troubles some runs, by their ids: the server is asked for each open one, and no worker. */
export async function findTrouble(client: Client, runs: readonly ListedRun[]): Promise<Map<string, Trouble>> {
  const found = new Map<string, Trouble>();
  const open = runs.filter(({ closed_at }) => closed_at === null);
  await eachOf(open, atOnce, async ({ run_id }) => {
    const handle = client.workflow.getHandle(run_id);
    const description = await handle.describe().catch(ifThere);
    if (description === null) return;
    const stuck = await stuckOf(handle, description);
    const retrying = await retryingOf(handle, description);
    if (stuck !== null || retrying.length > 0) found.set(run_id, { stuck, retrying });
  });
  return found;
}

/** The list may still have what was deleted. */
function ifThere(error: unknown): null {
  if (error instanceof WorkflowNotFoundError) return null;
  throw error;
}
