import { Command } from 'commander';
import { describeRun, refuseStuck, type TactusRun } from '../../client/index.js';
import { pausedDeadlines, pauseText, type PausedDeadlines } from '../../contract/changes/pause.js';
import type { PauseAnswer } from '../../contract/changes/pause-answer.js';
import { defined } from '../../contract/json/json.js';
import { accountName } from '../authority/signing-options.js';
import {
  act,
  exitCodes,
  lastArgument,
  ownCommand,
  TactusError,
  withDryRun,
  type Context,
  type DryRunFlag,
  type ExitCode,
} from '../command.js';
import { answerDryRunOf } from '../runs/dry-run.js';
import { withSession } from '../session.js';

interface PauseFlags extends DryRunFlag {
  reason?: string;
  as?: string;
  deadlines?: string;
}

/** `pause RUN`: what is under way ends, and nothing new begins. */
export function pauseCommand(): Command {
  return withDryRun(new Command('pause'))
    .description('pause a run: what is under way ends, and nothing new begins')
    .argument('<run>', 'id of the run')
    .option('--reason <text>', 'reason, shown with the run')
    .option('--as <who>', 'name of the person who pauses it (default: your account)')
    .option(
      '--deadlines <what>',
      'go-on, or stand-still: sleeps, waits and requests have their whole time afterwards (default: go-on)',
    )
    .action(
      act(
        async (context, { reason, as: by = accountName(), deadlines, dryRun }: PauseFlags, runId: string) => {
          const request = { by, ...defined({ reason, deadlines: readDeadlines(deadlines) }) };
          if (dryRun === true) return answerDryRunWith(context, runId, 'pause', request);
          return change(context, runId, (run) => run.pause(request));
        },
      ),
    );
}

/** `unpause RUN`: a paused run goes on. */
export function unpauseCommand(): Command {
  return withDryRun(new Command('unpause'))
    .description('let a paused run go on')
    .argument('<run>', 'id of the run')
    .action(
      act(async (context, { dryRun }: DryRunFlag, runId: string) =>
        dryRun === true
          ? answerDryRunWith(context, runId, 'unpause')
          : change(context, runId, (run) => run.unpause()),
      ),
    );
}

function answerDryRunWith(
  context: Context,
  runId: string,
  what: string,
  told: object = {},
): Promise<ExitCode> {
  return withSession(context, (session) => answerDryRunOf(context, session, runId, what, told));
}

/** @throws TactusError usage */
function readDeadlines(text: string | undefined): PausedDeadlines | undefined {
  if (text === undefined) return undefined;
  const known = pausedDeadlines.find((each) => each.replace('_', '-') === text);
  if (known === undefined)
    throw new TactusError('usage', `--deadlines takes go-on or stand-still, not ${text}`);
  return known;
}

function change(
  context: Context,
  runId: string,
  ask: (run: TactusRun) => Promise<PauseAnswer>,
): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const run = session.tactus.attach(runId);
    await refuseStuck(run, await describeRun(run));
    const answer = await session.ask(() => ask(run));
    context.screen.answer({ run_id: runId, ...answer }, () => answerText(runId, answer));
    if (answer.status === 'paused')
      context.screen.note(`To go on: ${ownCommand(`unpause ${lastArgument(runId)}`)}`);
    return exitCodes.done;
  });
}

/** What has come of it, and a line for each thing that is under way. */
export function answerText(
  runId: string,
  { status, changed, paused, waiting_for: waits, waiting }: PauseAnswer,
): string {
  if (status !== 'paused') return changed ? `${runId} goes on.` : `${runId} was not paused.`;
  const since = paused === null ? 'paused' : pauseText(paused);
  const more = waiting - waits.length;
  return [
    changed ? `${runId} is ${since}` : `${runId} was paused already: ${since}`,
    waiting === 0 ? 'Nothing is under way.' : 'Under way:',
    ...waits.map(({ kind, name, position }) => `  ${position}  ${kind} ${name}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}
