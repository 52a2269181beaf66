import type { TactusRun } from '../../client/tactus-run.js';
import { TactusError } from '../../contract/errors.js';
import { streamsOf } from '../../streams/streams-of.js';
import { exitCodeOfError, exitCodes, type ExitCode } from '../terminal/exit-codes.js';
import { finishFollowing } from './finish-following.js';
import { followRun } from './follow-run.js';
import { interruption } from '../terminal/interruption.js';
import type { Screen } from '../terminal/screen.js';
import type { Session } from '../session.js';
import { toCommandError } from '../terminal/to-command-error.js';
import { ownCommand } from '../terminal/own-command.js';
import { lastArgument } from '../../contract/text/shell-word.js';

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
  session.isFollowed = true;
  try {
    await session.provideWorker({ performs: true, ...listener(screen, run) });
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
      : streamsOf(process.env, (problem) => screen.note(`streams: ${problem}`));
  if (streams === null) return;
  try {
    for await (const { event } of run.stream({ streams, signal }))
      if (event.type === 'text') screen.stream(event.text);
  } finally {
    await streams.close();
  }
}
