import type { TactusRun } from '../client/tactus-client.js';
import { knownView } from '../client/view-run.js';
import { TactusError } from '../contract/errors.js';
import type { RunView } from '../contract/run-view.js';
import type { Screen } from './screen.js';
import type { Session } from './session.js';

/**
 * A run as it stands. Of a closed one that no worker answers for, what the server knows, which is said.
 * @throws TactusError run_not_found; no_worker for an open run
 */
export async function viewOf(session: Session, run: TactusRun, screen: Screen): Promise<RunView> {
  try {
    return await session.view(run.runId);
  } catch (error) {
    if (!(error instanceof TactusError) || error.code !== 'no_worker') throw error;
    const known = await knownView(run);
    if (known === null) throw error;
    screen.warn(`${error.message}. Of the run, this is what the server knows: its end, and no more.`);
    return known;
  }
}
