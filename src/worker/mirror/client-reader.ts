import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TactusClient } from '../../client/tactus-client.js';
import type { RunSnapshot } from '../../client/storage/to-procedure-metadata.js';
import type { Checkpoint } from '../../contract/checkpoint.js';
import type { LogEntryView } from '../../contract/run-view.js';
import type { RunStatus } from '../../contract/status.js';
import type { RunReader } from './mirror-writer.js';

const statuses: Record<string, RunStatus> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

/** Reads runs over a Temporal client: their status from the server, everything else by query. */
export function clientReader(client: Client): RunReader {
  const runs = new TactusClient(client);
  const status = async (runId: string): Promise<RunStatus | null> => {
    try {
      const { status: found } = await client.workflow.getHandle(runId).describe();
      return statuses[found.name] ?? 'running';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  };
  return {
    status,
    async read(runId): Promise<RunSnapshot | null> {
      const known = await status(runId);
      if (known === null) return null;
      const run = runs.attach(runId);
      const [view, log, state] = [await run.status(), await run.log(), await run.state()];
      return {
        runId,
        status: known === 'running' ? view.status : known,
        state,
        log: log.execution_log.map(toCheckpoint),
        waitingOn: view.pending[0]?.id ?? null,
      };
    },
  };
}

/** An entry of the log as it stands in the run; the digest is not shown there. */
function toCheckpoint(entry: LogEntryView): Checkpoint {
  const { position, type, name, input, result, error } = entry;
  return {
    position,
    type: type as Checkpoint['type'],
    name,
    digest: '',
    outcome: error === null ? { ok: true, value: result } : { ok: false, code: 'lua_error', message: error },
    at: Date.parse(entry.timestamp),
    durationMs: entry.duration_ms,
    source: entry.source,
    input,
  };
}
