import type { ListedRun } from '../../client/lists/server-list.js';
import type { Trouble } from '../../client/health/find-trouble.js';
import type { RunReport } from '../../client/runs/view-run.js';
import { TactusError } from '../../contract/errors.js';
import type { Session } from '../session.js';

const atOnce = 5;

/** A run of a list, as `status` shows it, without its output and state. Only what the server's list has is sure to be there. */
export type FullRun = ListedRun & Partial<Omit<RunReport, 'output' | 'state'>>;

/** Asks a worker for what the server's list doesn't have; a run that doesn't answer stays as the list has it. */
export async function fullRuns(
  session: Session,
  runs: readonly ListedRun[],
  trouble: ReadonlyMap<string, Trouble>,
): Promise<FullRun[]> {
  const full: FullRun[] = runs.map((run) => ({
    ...run,
    ...(trouble.get(run.run_id) ?? { stuck: null, retrying: [] }),
  }));
  let next = 0;
  let isAnswered = true;
  const work = async (): Promise<void> => {
    while (next < runs.length && isAnswered) {
      const index = next++;
      const run = runs[index];
      if (run === undefined) return;
      try {
        const { output: _output, state: _state, ...view } = await session.view(run.run_id);
        full[index] = view;
      } catch (error) {
        // Without a worker, none of the others would answer either.
        const isAlone = error instanceof TactusError && error.code === 'no_worker';
        if (isAlone && session.embedded === null) isAnswered = false;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return full;
}
