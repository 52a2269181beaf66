import { listRuns } from '../../client/lists/list-runs.js';
import { stuckError } from '../../client/health/stuck-error.js';
import { TactusError } from '../../contract/errors.js';
import { byCreation, type Missing } from '../../client/people/open-requests.js';
import type { AskedRequest } from './pending-filter.js';
import type { Screen } from '../terminal/screen.js';
import type { Session } from '../session.js';

const mostRuns = 1_000;
const atOnce = 5;

/** Open human requests, and the runs whose requests aren't among them. */
export interface FoundRequests {
  pending: AskedRequest[];
  missing: Missing[];
}

/** Open human requests of one run. @throws TactusError run_not_found, run_stuck, no_worker */
export async function pendingOf(session: Session, runId: string): Promise<AskedRequest[]> {
  const { stuck, pending, procedure } = await session.view(runId);
  if (stuck !== null) throw stuckError(runId, stuck);
  return pending.map((request) => ({ ...request, procedure }));
}

/** Open human requests of all open runs, in the order of their creation, and the runs that say nothing. */
export async function findPending(session: Session, screen: Screen): Promise<FoundRequests> {
  const { runs, next } = await listRuns(session.client, { isOpen: true, limit: mostRuns });
  if (next !== null) screen.warn(`There are more than ${mostRuns} open runs: only the newest are asked.`);
  const pending: AskedRequest[] = [];
  const missing: Missing[] = [];
  let isThere = false;
  let absence: string | null = null;
  const ask = async (runId: string): Promise<void> => {
    try {
      pending.push(...(await pendingOf(session, runId)));
      isThere = true;
    } catch (error) {
      if (error instanceof TactusError && error.code === 'run_not_found') return;
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof TactusError && error.code === 'no_worker') absence = reason;
      else isThere = true;
      missing.push({ run_id: runId, reason });
    }
  };
  const ids = runs.map(({ run_id }) => run_id);
  for (let i = 0; i < ids.length; i += atOnce) {
    await Promise.all(ids.slice(i, i + atOnce).map(ask));
    // Where nobody answered for the first, nobody would for the others, which would each be waited for.
    const reason = absence as string | null;
    if (isThere || reason === null) continue;
    missing.push(...ids.slice(i + atOnce).map((run_id) => ({ run_id, reason })));
    break;
  }
  return { pending: pending.sort(byCreation), missing };
}

/** Says which runs couldn't be asked, and why. */
export function tellMissing(missing: readonly Missing[], screen: Screen): void {
  for (const { run_id, reason } of missing) screen.warn(`${run_id} is left out: ${reason}`);
}
