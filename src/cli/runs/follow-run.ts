import {
  howCallEnded,
  openRequests,
  PollInterval,
  runIdOf,
  type RunReport,
  type TactusRun,
} from '../../client/index.js';
import { holdText } from '../../contract/changes/hold.js';
import { pauseText } from '../../contract/changes/pause.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { Answering, type AnsweringOptions } from '../people/answering.js';
import { requestText } from '../people/requests.js';
import { ProgressView } from './progress-view.js';
import {
  errorText,
  incompleteText,
  outputText,
  RetryWatch,
  StuckWatch,
  summaryText,
  UnservedWatch,
  WaitWatch,
} from './run-text.js';
import {
  type Screen,
  exitCodeOfError,
  exitCodeOfStatus,
  exitCodes,
  interruption,
  type ExitCode,
  ownCommand,
  lastArgument,
  TactusError,
} from '../command.js';
import { toCommandError } from '../terminal/to-command-error.js';
import { mayDecide } from '../../contract/people/ledger/check-decision.js';
import type { Session } from '../session.js';
import { openStreams } from '../../streams/nats-streams.js';

/** Flags of commands that follow a run. */
export interface AnswerFlags {
  respond: string[];
  as?: string;
}

/**
 * Follows a run with a worker in this process, where the embedded server is used.
 * @throws TactusError server_unreachable, no_worker saying how to go on with the run, which is left alone
 */
export async function followHere(
  session: Session,
  screen: Screen,
  run: TactusRun,
  { respond: answers, as }: AnswerFlags,
): Promise<ExitCode> {
  const { signal, interrupt, dispose } = interruption();
  const over = new AbortController();
  session.silence.isFollowed = true;
  try {
    await provideFollower(session, screen, run);
    const telling = tellElsewhere(session, screen, run, over.signal);
    telling.catch((error: unknown) => screen.note(`streams: ${String(error)}`));
    return finishFollowing(
      await followRun({ session, run, screen, answers, as, signal, interrupt }),
      session,
      screen,
      as,
    );
  } catch (error) {
    const lost = toCommandError(error);
    if (exitCodeOfError(lost) !== exitCodes.unreachable) throw lost;
    const howToGoOn = `The run is left alone; to go on: ${ownCommand(`resume ${lastArgument(run.runId)}`)}`;
    throw new TactusError(lost.code, `${lost.message}. ${howToGoOn}`, { ...lost.details, run_id: run.runId });
  } finally {
    over.abort();
    dispose();
  }
}

/** Starts the worker of a command that follows a run, with the embedded server alone. */
export function provideFollower(session: Session, screen: Screen, run: TactusRun): Promise<void> {
  return session.worker.provide({ performs: true, ...listener(screen, run) });
}

/** Models are asked to stream only where somebody looks on. */
function listener(
  screen: Screen,
  run: TactusRun,
): { onText?: (event: { runId: string; text: string }) => void } {
  if (!screen.streams) return {};
  return {
    onText: ({ runId, text }) => {
      if (runId === run.runId) screen.stream(text);
    },
  };
}

/** What models write for workers elsewhere, where a broker carries it. */
async function tellElsewhere(
  session: Session,
  screen: Screen,
  run: TactusRun,
  signal: AbortSignal,
): Promise<void> {
  const isHere = session.embedded !== null;
  const streams =
    isHere || !screen.streams
      ? null
      : openStreams(process.env, (problem) => screen.note(`streams: ${problem}`));
  if (streams === null) return;
  try {
    for await (const { event } of run.stream({ streams, signal }))
      if (event.type === 'text') screen.stream(event.text);
  } finally {
    await streams.close();
  }
}

export interface FollowOptions extends AnsweringOptions {
  run: TactusRun;
}

/** How the following ended, and the run as it then stood. */
interface Followed {
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
  const pace = new PollInterval(run.handle.result(), signal);
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
      waits.look(view);
      queues.look(unserved);
    }
    if (watch.look(stuck)) return { view, isInterrupted: false, requests };
    const next = answering.next(requests);
    const outcome = next === undefined ? 'none' : await answering.answer(next);
    if (outcome === 'interrupted') return { view, isInterrupted: true, requests };
    const isAtRest = waitsFor === 'time' || waitsFor === 'unpause';
    const isPutOff = outcome === 'none' && isAtRest && !screen.isInteractive;
    if ((isPutOff && !(await isReleased(session, view))) || (outcome === 'unanswered' && waitsFor !== null))
      return { view, isInterrupted: false, requests };
    await pace.next(isNew || outcome === 'answered');
  }
}

/**
 * Says how the following ended and, where the run goes on, what to type; the exit code.
 * @param as whom it was followed for: what others are asked isn't shown to them
 */
export function finishFollowing(
  { view, isInterrupted, requests }: Followed,
  session: Session,
  screen: Screen,
  as?: string,
): ExitCode {
  const isClosed = view.closed_at !== null;
  if (view.error !== null) screen.warn(errorText(view, screen));
  if (view.incomplete !== undefined) screen.warn(incompleteText(view, screen));
  screen.note(summaryText(view, screen));
  screen.answer(view, () => outputText(view));
  if (!isClosed) {
    for (const request of requests)
      screen.warn(
        as !== undefined && mayDecide(request, { by: as }) !== null
          ? othersText(request, as)
          : requestText(request, { how: true }),
      );
    const { text: rests, toGoOn } = restOf(view);
    const waits = requests.length > 0 && view.paused === undefined ? 'The run waits for a person.' : rests;
    const goesOn = view.stuck === null ? waits : 'The run is stuck, and left alone.';
    const left = isInterrupted ? 'Interrupted; the run is left alone.' : goesOn;
    screen.warn(`${left} To go on: ${ownCommand(toGoOn)}`);
  }
  const page = session.webUi(view.run_id);
  if (page !== null) screen.note(screen.paint.dim(`Web UI: ${page}`));
  if (isClosed) return exitCodeOfStatus(view.status);
  return isInterrupted ? exitCodes.interrupted : exitCodes.goesOn;
}

/** The calls that a run waits for are let go meanwhile: it goes on soon. */
async function isReleased({ tactus }: Session, { held, paused }: RunReport): Promise<boolean> {
  if (held === undefined || (paused !== undefined && paused.hold === undefined)) return false;
  const holds = await tactus.holds.list();
  return held.every(({ target }) => {
    const hold = holds.find((each) => each.target === target);
    return hold === undefined || hold.rate !== undefined;
  });
}

/** Why nobody follows an open run any longer, and the command by which it goes on. */
function restOf({ run_id, paused, held: [hold] = [] }: RunReport): { text: string; toGoOn: string } {
  const id = lastArgument(run_id);
  if (paused !== undefined) return { text: `The run is ${pauseText(paused)}.`, toGoOn: `unpause ${id}` };
  if (hold === undefined) return { text: 'The run goes on.', toGoOn: `resume ${id}` };
  return { text: `The run waits: ${holdText(hold)}.`, toGoOn: `hold release ${lastArgument(hold.target)}` };
}

/** Who is asked, in place of what. */
function othersText({ id, kind, approvers, requester }: HumanRequest, as: string): string {
  const others = approvers.filter((name) => name !== requester);
  const who = others.length === 0 ? `anybody but ${requester ?? as}` : others.join(', ');
  return `${id} (${kind}) is not for ${as} to decide; asked: ${who} (${ownCommand(`pending ${lastArgument(runIdOf(id))}`)})`;
}
