import { howCallEnded } from '../../client/health/how-call-ended.js';
import { stuckText } from '../../client/health/stuck-error.js';
import type { Stuck } from '../../client/health/stuck.js';
import { openRequests } from '../../client/people/open-requests.js';
import { Pace } from '../../client/runs/pace.js';
import type { TactusRun } from '../../client/tactus-run.js';
import type { RunReport } from '../../client/runs/view-run.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { Answering, type AnsweringOptions } from '../people/answering.js';
import { ProgressView } from './progress-view.js';
import { RetryWatch } from './retry-watch.js';
import { UnservedWatch } from './unserved-watch.js';
import { WaitWatch } from '../people/wait-watch.js';
import type { Screen } from '../terminal/screen.js';

/** A worker that is just being replaced gets so long. */
const patienceMs = 60_000;

/** Tells, while a run is followed, that it or one below it is stuck: once for each failure. */
export class StuckWatch {
  private readonly told = new Set<string>();
  private firstSeen: number | null = null;

  constructor(private readonly screen: Screen) {}

  /** True where it has lasted for so long that only somebody who looks on would wait any longer. */
  look(stuck: ReadonlyMap<string, Stuck>): boolean {
    if (stuck.size === 0) {
      this.firstSeen = null;
      return false;
    }
    this.firstSeen ??= Date.now();
    for (const [runId, fault] of stuck) {
      const key = `${runId}\n${fault.since}\n${fault.message}`;
      if (!this.told.has(key)) this.screen.warn(`The run ${runId} is stuck ${stuckText(fault)}.`);
      this.told.add(key);
    }
    return !this.screen.isInteractive && Date.now() - this.firstSeen > patienceMs;
  }
}

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
