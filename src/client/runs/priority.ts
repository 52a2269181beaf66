import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';

/** Bytes, as the server bounds it. */
const longestFairnessKey = 64;
const leastWeight = 0.001;
const mostWeight = 1_000;

/**
 * Whose tasks go first where a task queue has more than its workers can do, in Temporal's words. Calls and child runs of a
 * run have that of the run.
 */
export interface RunPriority {
  /** From 1 (first) to 5 (last), or as many as the server knows; left out: 3. */
  priorityKey?: number;
  /** Whose the run is, such as a tenant: keys get their turns one after the other. 64 bytes at most. */
  fairnessKey?: string;
  /** So many turns the key gets where others get one, 0.001 to 1000; left out: 1. */
  fairnessWeight?: number;
}

/** @throws TactusError usage */
export function assertPriority({ priorityKey, fairnessKey, fairnessWeight }: RunPriority): void {
  if (priorityKey !== undefined && !(Number.isInteger(priorityKey) && priorityKey >= 1))
    throw new TactusError('usage', 'The priority key must be an integer from 1 (first) on');
  if (
    fairnessKey !== undefined &&
    (fairnessKey === '' || Buffer.byteLength(fairnessKey) > longestFairnessKey)
  )
    throw new TactusError('usage', `The fairness key must be a text of 1 to ${longestFairnessKey} bytes`);
  if (fairnessWeight !== undefined && !(fairnessWeight >= leastWeight && fairnessWeight <= mostWeight))
    throw new TactusError(
      'usage',
      `The fairness weight must be a number from ${leastWeight} to ${mostWeight}`,
    );
}

/** The priority of a run that there is; undefined where it has none, or is gone. */
export async function priorityOf(client: Client, runId: string): Promise<RunPriority | undefined> {
  try {
    const { priority = {} } = await client.workflow.getHandle(runId).describe();
    const { priorityKey = 0, fairnessKey = '', fairnessWeight = 0 } = priority;
    const found: RunPriority = {
      ...(priorityKey === 0 ? {} : { priorityKey }),
      ...(fairnessKey === '' ? {} : { fairnessKey }),
      ...(fairnessWeight === 0 ? {} : { fairnessWeight }),
    };
    return Object.keys(found).length === 0 ? undefined : found;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
