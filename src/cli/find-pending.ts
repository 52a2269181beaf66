import { listRuns } from '../client/list-runs.js';
import { viewRun } from '../client/view-run.js';
import type { HumanRequest } from '../contract/human-request.js';
import { byCreation } from './open-requests.js';
import type { Session } from './session.js';

const mostRuns = 1_000;
const atOnce = 5;

/** Open human requests of one run, or of all open runs, in the order of their creation. @throws TactusError run_not_found, no_worker */
export async function findPending(session: Session, runId: string | null): Promise<HumanRequest[]> {
  const ids =
    runId === null
      ? (await listRuns(session.client, { isOpen: true, limit: mostRuns })).runs.map(({ run_id }) => run_id)
      : [runId];
  const found: HumanRequest[] = [];
  for (let i = 0; i < ids.length; i += atOnce) {
    const views = ids.slice(i, i + atOnce).map((id) => session.ask(() => viewRun(session.tactus.attach(id))));
    for (const { pending } of await Promise.all(views)) found.push(...pending);
  }
  return found.sort(byCreation);
}
