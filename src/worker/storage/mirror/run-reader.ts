import type { Client } from '@temporalio/client';
import {
  isUpToDate,
  latestOf,
  listedSince,
  namespaceIdOf,
  type ReadRun,
  readSnapshot,
  serverPages,
  serverRun,
} from '../../../client/index.js';
import type { MirrorMark } from '../../../client/storage/index.js';
import type { RunStatus } from '../../../contract/runs/run-view.js';

/** Where the mirror looks when it has missed something: the run itself, and the server. */
export interface RunReader {
  /** Id of the namespace whose runs these are. */
  namespace(): Promise<string>;
  /** All of a run; null where there is none. */
  read(runId: string): Promise<ReadRun | null>;
  /** The status that the server knows; null where there is no such run. */
  status(runId: string): Promise<RunStatus | null>;
  /** Whether a run goes on, and has come no further than a record of it, without asking the run. */
  isUpToDate(runId: string, mark: MirrorMark): Promise<boolean>;
  /** Executions that have ended without a word to any worker since a time of the server's, in ms since 1970, and some before; the latest end among them. */
  endedUnheard(
    since: number,
  ): AsyncIterable<{ runs: readonly { runId: string; execution: string }[]; latest: number }>;
}

/** Ends of which no worker hears. */
const unheard = `(ExecutionStatus = 'Terminated' OR ExecutionStatus = 'TimedOut')`;

/** Reads runs over a Temporal client: their status from the server, everything else by query. */
export function clientReader(client: Client): RunReader {
  return {
    namespace: () => namespaceIdOf(client),
    status: async (runId) => (await serverRun(client, runId))?.status ?? null,
    read: (runId) => readSnapshot(client, runId),
    isUpToDate: async (runId, mark) => {
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
