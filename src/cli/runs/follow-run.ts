import { howCallEnded } from '../../client/health/how-call-ended.js';
import { openRequests } from '../../client/people/open-requests.js';
import { Pace } from '../../client/runs/pace.js';
import type { TactusRun } from '../../client/tactus-run.js';
import type { RunReport } from '../../client/runs/view-run.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { Answering, type AnsweringOptions } from '../people/answering.js';
import { ProgressView } from './progress-view.js';
import { RetryWatch } from './retry-watch.js';
import { StuckWatch } from './stuck-watch.js';
import { UnservedWatch } from './unserved-watch.js';
import { WaitWatch } from '../people/wait-watch.js';

export interface FollowOptions extends AnsweringOptions {
  run: TactusRun;
}

/** How the following ended, and the run as it then stood. */
export interface Followed {
  view: RunReport;
  isInterrupted: boolean;
  requests: HumanRequest[];
}

/**
 * Follows a run until it has ended, or waits for a person whom nobody can ask here. Timers, activities and child runs
 * don't end it, but a procedure that puts itself off to another day does, where nobody looks on.
 */
export async function followRun(options: FollowOptions): Promise<Followed> {
  const answering = new Answering(options);
  try {
    return await follow(options, answering);
  } finally {
    answering.close();
  }
}

async function follow(
  { session, run, screen, signal, isQuiet = false }: FollowOptions,
  answering: Answering,
): Promise<Followed> {
  const progress = new ProgressView(session, run, screen);
  const pace = new Pace(run.handle.result(), signal);
  const watch = new StuckWatch(screen);
  const retries = new RetryWatch(screen, (runId, callId) => howCallEnded(session.client, runId, callId));
  const waits = new WaitWatch(screen);
  const queues = new UnservedWatch(screen);
  for (;;) {
    const view = await session.view(run.runId);
    const isNew = isQuiet ? false : await progress.update(view);
    if (view.closed_at !== null && !isQuiet) await retries.look([]);
    if (view.closed_at !== null) return { view, isInterrupted: false, requests: [] };
    const { requests, waitsFor, stuck, retrying, unserved } = await openRequests(view, (id) =>
      session.view(id),
    );
    if (signal.aborted) return { view, isInterrupted: true, requests };
    if (!isQuiet) {
      await retries.look(retrying);
      waits.look(view.waits);
      queues.look(unserved);
    }
    if (watch.look(stuck)) return { view, isInterrupted: false, requests };
    const next = answering.next(requests);
    const outcome = next === undefined ? 'none' : await answering.answer(next);
    if (outcome === 'interrupted') return { view, isInterrupted: true, requests };
    const isPutOff = outcome === 'none' && waitsFor === 'time' && !screen.isInteractive;
    if (isPutOff || (outcome === 'unanswered' && waitsFor !== null))
      return { view, isInterrupted: false, requests };
    await pace.next(isNew || outcome === 'answered');
  }
}
