import type { TactusRun } from '../client/tactus-run.js';
import { viewRun, type RunReport } from '../client/view-run.js';
import { TactusError } from '../contract/errors.js';
import type { HumanRequest } from '../contract/human-request.js';
import type { JsonValue } from '../contract/json.js';
import { givenAnswer } from './answer-value.js';
import { askPerson } from './ask-person.js';
import { defaultName } from './default-name.js';
import { openRequests } from './open-requests.js';
import { Pace } from './pace.js';
import { ProgressView } from './progress-view.js';
import { requestText } from './request-text.js';
import type { Screen } from './screen.js';
import type { Session } from './session.js';
import { StuckWatch } from './stuck-watch.js';

export interface FollowOptions {
  session: Session;
  run: TactusRun;
  screen: Screen;
  /** Answers to requests, in the order of their creation. */
  answers: readonly string[];
  /** Ends the following; the run goes on. */
  signal: AbortSignal;
  /** Whether lines and steps are shown and a person may be asked. */
  isQuiet?: boolean;
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
  const { session, run, screen, signal } = options;
  const progress = new ProgressView(session, run, screen);
  const pace = new Pace(run.handle.result(), signal);
  const answering = new Answering(options);
  const watch = new StuckWatch(screen);
  for (;;) {
    const view = await session.view(run.runId);
    const isNew = options.isQuiet === true ? false : await progress.update(view);
    if (view.closed_at !== null) return { view, isInterrupted: false, requests: [] };
    const { requests, waitsFor, stuck } = await openRequests(session, view);
    if (signal.aborted) return { view, isInterrupted: true, requests };
    if (watch.look(stuck)) return { view, isInterrupted: false, requests };
    const next = requests.find(({ id }) => !answering.isSettled(id));
    const outcome = next === undefined ? 'none' : await answering.answer(next, pace);
    if (outcome === 'interrupted') return { view, isInterrupted: true, requests };
    const isPutOff = outcome === 'none' && waitsFor === 'time' && !screen.isInteractive;
    if (isPutOff || (outcome === 'unanswered' && waitsFor !== null))
      return { view, isInterrupted: false, requests };
    await pace.next(isNew || outcome === 'answered');
  }
}

/** Answers requests: first with what was given beforehand, then by asking the person at the terminal. */
class Answering {
  private readonly settled = new Set<string>();
  private readonly answers: string[];
  private isTold = false;

  constructor(private readonly options: FollowOptions) {
    this.answers = [...options.answers];
  }

  isSettled(id: string): boolean {
    return this.settled.has(id);
  }

  async answer(request: HumanRequest, pace: Pace): Promise<'answered' | 'unanswered' | 'interrupted'> {
    const { screen, isQuiet = false } = this.options;
    const given = this.answers.shift();
    if (given !== undefined) {
      screen.note(
        `${requestText(request, { how: false })}\n${screen.paint.dim(`  answered by --respond: ${given}`)}`,
      );
      const value = this.read(request, given);
      return value === undefined ? 'unanswered' : this.decide(request, value);
    }
    if (isQuiet || !screen.isInteractive) return 'unanswered';
    if (this.options.answers.length > 0 && !this.isTold) screen.note('The answers of --respond are used up.');
    this.isTold = true;
    const answer = await askPerson(request, this.withdrawal(request, pace));
    if (answer === 'interrupted') return 'interrupted';
    return answer === 'withdrawn' ? 'answered' : this.decide(request, answer.value);
  }

  /** undefined where the request can't be answered so: it stays open, for somebody else or for a `resume`. */
  private read(request: HumanRequest, given: string): JsonValue | undefined {
    try {
      return givenAnswer(request, given);
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      this.options.screen.warn(error.message);
      return undefined;
    }
  }

  private async decide(request: HumanRequest, value: JsonValue): Promise<'answered' | 'unanswered'> {
    const { session, screen } = this.options;
    const decision = { request: request.id, value, by: defaultName(), digest: request.digest };
    const { outcome, message } = await session.decide(request.run_id, decision);
    const isOver = outcome !== 'invalid' && outcome !== 'not_allowed';
    if (isOver) this.settled.add(request.id);
    if (outcome !== 'accepted') screen.warn(`${request.id}: ${outcome}: ${message}`);
    return isOver ? 'answered' : 'unanswered';
  }

  /** Fires when the request is no longer open, while its person is being asked. */
  private withdrawal(request: HumanRequest, pace: Pace): AbortSignal {
    const { session } = this.options;
    const controller = new AbortController();
    const watch = async (): Promise<void> => {
      while (!controller.signal.aborted) {
        await pace.pause();
        const view = await viewRun(session.tactus.attach(request.run_id)).catch(() => null);
        if (view === null || !view.pending.some(({ id }) => id === request.id)) controller.abort();
      }
    };
    void watch();
    return controller.signal;
  }
}
