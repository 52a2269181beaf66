import type { LookAtRunsInput } from '../../contract/activities.js';
import type { RunLook } from '../../contract/runs/child-run.js';
import { assertResultFits, atEdge } from '../retries/failures.js';

/**
 * Looks at one run. `brief`: how it ended is not asked for, unless it ended without a word.
 * @throws TactusError child_failed where it is no run of a procedure
 */
export type RunReader = (id: string, brief: boolean) => Promise<RunLook>;

/**
 * Looks, once, how runs stand that are no children of the one that asks.
 * @throws ApplicationFailure of type child_failed where one of them is no run of a procedure
 */
export async function lookAtRuns(
  read: RunReader,
  { ids, brief = false }: LookAtRunsInput,
): Promise<RunLook[]> {
  return atEdge({ code: 'child_failed', subject: `Runs ${ids.join(', ')}`, secrets: () => [] }, async () => {
    const looks: RunLook[] = [];
    for (const id of ids) looks.push(await read(id, brief));
    return assertResultFits(looks, `What ${ids.join(', ')} gave`);
  });
}
