import type { Client } from '@temporalio/client';
import { namespaceIdOf } from '../../../client/server/server-calls.js';
import { readSnapshot } from '../../../client/runs/read-snapshot.js';
import { latestOf, listedSince, serverPages } from '../../../client/lists/server-list.js';
import { isUpToDate, serverRun } from '../../../client/runs/server-run.js';
import type { RunReader } from './run-reader.js';

/** Ends of which no worker hears. */
const unheard = `(ExecutionStatus = 'Terminated' OR ExecutionStatus = 'TimedOut')`;

/** Reads runs over a Temporal client: their status from the server, everything else by query. */
export function clientReader(client: Client): RunReader {
  return {
    namespace: () => namespaceIdOf(client),
    status: async (runId) => (await serverRun(client, runId))?.status ?? null,
    read: (runId) => readSnapshot(client, runId),
    hasToldAll: async (runId, mark) => {
      const row = await serverRun(client, runId);
      if (row === null || row.closed_at !== null) return false;
      return isUpToDate(client, row, mark);
    },
    async *endedUnheard(since) {
      const terms = [unheard, `CloseTime >= ${listedSince(since)}`];
      for await (const page of serverPages(client, terms))
        yield {
          runs: page.map(({ run_id, execution }) => ({ runId: run_id, execution })),
          latest: latestOf(page),
        };
    },
  };
}
