import { listRuns, type ListedRun } from '../client/list-runs.js';
import type { HumanRequest } from '../contract/human-request.js';
import { byCreation } from './open-requests.js';
import type { Screen } from './screen.js';
import type { Session } from './session.js';

const mostRuns = 1_000;
const atOnce = 5;

/** Open human requests of one run. @throws TactusError run_not_found, no_worker */
export async function pendingOf(session: Session, runId: string): Promise<HumanRequest[]> {
  return (await session.view(runId)).pending;
}

/** Open human requests of all open runs, in the order of their creation. A run that says nothing is named, and left out. */
export async function findPending(session: Session, screen: Screen): Promise<HumanRequest[]> {
  const { runs, next } = await listRuns(session.client, { isOpen: true, limit: mostRuns });
  if (next !== null) screen.warn(`There are more than ${mostRuns} open runs: only the newest are asked.`);
  const found: HumanRequest[] = [];
  let answered = 0;
  let silence: Error | null = null;
  const ask = async ({ run_id: id }: ListedRun): Promise<void> => {
    try {
      found.push(...(await pendingOf(session, id)));
      answered++;
    } catch (error) {
      silence = error instanceof Error ? error : new Error(String(error));
      screen.warn(`${id}: ${silence.message}`);
    }
  };
  for (let i = 0; i < runs.length; i += atOnce) {
    await Promise.all(runs.slice(i, i + atOnce).map(ask));
    // Where none of the first answers, there is no worker to answer for the others.
    if (answered === 0 && silence !== null) throw silence as Error;
  }
  return found.sort(byCreation);
}
