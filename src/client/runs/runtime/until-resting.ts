import type { HumanRequest } from '../../../contract/people/human-request.js';
import { openRequests } from '../../people/open-requests.js';
import { Pace } from '../pace.js';
import { runClosed } from '../run-closed.js';
import type { TactusClient } from '../../tactus-client.js';
import { viewRun, type RunReport } from '../view-run.js';

/** A run that nothing but a person, a time or a mended worker lets go on; or one that has ended. */
export interface Rested {
  view: RunReport;
  /** What people are asked, by it and by the runs that it waits for, oldest first. */
  requests: HumanRequest[];
}

/**
 * Waits until a run has ended, or rests: waits for a person, for a time more than a minute off, or is stuck.
 * @throws TactusError run_not_found; no_worker where an open run doesn't answer
 * @throws whatever the signal was aborted with; the run goes on
 */
export async function untilResting(
  tactus: TactusClient,
  runId: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<Rested> {
  const over = new AbortController();
  const look = (id: string): Promise<RunReport> => viewRun(tactus.attach(id));
  const pace = new Pace(runClosed(tactus.attach(runId).handle, over.signal), signal);
  try {
    for (let seen = -1; ;) {
      signal.throwIfAborted();
      const view = await look(runId);
      if (view.closed_at !== null) return { view, requests: [] };
      const { requests, waitsFor, stuck } = await openRequests(view, look);
      if (waitsFor !== null || stuck.size > 0) return { view, requests };
      await pace.next(view.checkpoints !== seen);
      seen = view.checkpoints;
    }
  } finally {
    over.abort();
  }
}
