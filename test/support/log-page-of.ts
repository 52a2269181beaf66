import type { Checkpoint } from '../../src/contract/checkpoints/checkpoint.js';
import type { LogEntryView, LogPage } from '../../src/contract/runs/run-view.js';

const viewOf = ({ position, type, name, outcome, at, input }: Checkpoint): LogEntryView => ({
  ...{ position, type, name, status: outcome.ok ? 'completed' : 'failed', request: null, input },
  ...{ result: outcome.ok ? outcome.value : null, error: outcome.ok ? null : outcome.message },
  ...{ duration_ms: 0, source: null, timestamp: new Date(at).toISOString() },
});

/** The log of a run of `fakeProgram`, as clients read it. */
export function logPageOf(entries: readonly Checkpoint[]): LogPage {
  return {
    ...{ procedure_id: 'run', status: 'completed', replay_index: entries.length, state: {}, next: null },
    execution_log: entries.map(viewOf),
  };
}
