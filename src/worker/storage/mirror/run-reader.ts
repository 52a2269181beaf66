import type { ReadRun } from '../../../client/runs/read-snapshot.js';
import type { MirrorMark } from '../../../client/storage/mirror-mark.js';
import type { RunStatus } from '../../../contract/runs/status.js';

/** Where the mirror looks when it has missed something: the run itself, and the server. */
export interface RunReader {
  /** Id of the namespace whose runs these are. */
  namespace(): Promise<string>;
  /** All of a run; null where there is none. */
  read(runId: string): Promise<ReadRun | null>;
  /** The status that the server knows; null where there is no such run. */
  status(runId: string): Promise<RunStatus | null>;
  /** Whether a run goes on, and has come no further than a record of it, without asking the run. */
  hasToldAll(runId: string, mark: MirrorMark): Promise<boolean>;
  /** Executions that have ended without a word to any worker since a time of the server's, in ms since 1970, and some before; the latest end among them. */
  endedUnheard(
    since: number,
  ): AsyncIterable<{ runs: readonly { runId: string; execution: string }[]; latest: number }>;
}
