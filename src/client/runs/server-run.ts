import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TactusError, type RunError } from '../../contract/errors.js';
import { inOwnTime } from '../server/in-own-time.js';
import type { ListedRun, ServerRow } from '../lists/server-list.js';
import { TactusRun } from '../tactus-run.js';
import { endOf } from './view-run.js';

/** A run as the server describes it; null where there is none. No worker is asked. */
export async function serverRun(client: Client, runId: string): Promise<ServerRow | null> {
  try {
    const found = await inOwnTime(client, () => client.workflow.getHandle(runId).describe());
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
    await inOwnTime(client, () => new TactusRun(client.workflow.getHandle(run_id), run_id).result());
  } catch (error) {
    if (error instanceof TactusError) return error.toRunError();
  }
  return null;
}
