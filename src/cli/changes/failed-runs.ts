import type { Command } from 'commander';
import type { ChangedRun, FailedRuns, ManyRuns } from '../../client/runs/index.js';
import { defined } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { exitCodes, readCount, readTime, TactusError, type Context, type ExitCode } from '../command.js';
import type { Session } from '../session.js';
import { mostShown, tellEvery } from './change-flags.js';
import { planLines } from './plan-text.js';

/** What names many runs that have failed. */
export interface FailedFlags {
  failed?: boolean;
  procedure?: string;
  since?: string;
  limit?: string;
}

export function withFailedFlags(command: Command): Command {
  return command
    .option('--failed', 'all runs that have failed or timed out, each with its plan first')
    .option('--procedure <name>', 'with --failed: only runs of this procedure')
    .option(
      '--since <time>',
      'with --failed: only those started at this time or later: a date, or an age such as 24h or 7d',
    )
    .option(
      '--limit <number>',
      'with --failed: so many runs at most; the same command again goes on with the others',
    );
}

/** @throws TactusError usage where it isn't one run, or many, that is named */
export function whichRuns(
  command: string,
  runId: string | undefined,
  { failed, procedure, since, limit }: FailedFlags,
): string | (FailedRuns & { limit?: number }) {
  const narrows = { procedure, since, limit };
  if (runId !== undefined && failed !== true && Object.keys(defined(narrows)).length === 0) return runId;
  if (runId !== undefined || failed !== true)
    throw new TactusError(
      'usage',
      `${command} takes the id of a run, or --failed (with --procedure, --since and --limit)`,
    );
  return defined({
    procedure,
    since: since === undefined ? undefined : readTime(since, '--since', Date.now()),
    limit: limit === undefined ? undefined : readCount(limit, '--limit'),
  });
}

/** Changes many runs, with progress, and says what has become of them. */
export async function changeFailed(
  { screen }: Context,
  session: Session,
  { source, isDry }: { source: ProcedureSource | undefined; isDry: boolean },
  change: (options: Omit<ManyRuns, 'beforeMoves'>) => Promise<ChangedRun[]>,
): Promise<ExitCode> {
  let told = 0;
  const runs = await change({
    ask: session.asking.ask,
    onChanged: () => {
      told++;
      if (told % tellEvery === 0) screen.note(`${told} runs`);
    },
  });
  await session.worker.end();
  const counts = {
    ...{ fit: of(runs, 'fits'), repeat: of(runs, 'repeats'), diverge: of(runs, 'diverges') },
    ...{ failed: of(runs, 'failed'), moved: runs.filter(({ moved }) => moved).length },
  };
  screen.answer({ runs, ...counts }, () => {
    const shown = runs.filter(({ moved }) => !moved);
    const more = shown.length - mostShown;
    return [
      ...shown.slice(0, mostShown).flatMap((run) => runLines(run, source, isDry)),
      ...(more > 0 ? [`and ${more} more`] : []),
      `${runs.length} have failed: ${counts.fit} can go on, ${counts.moved} went on, ${counts.repeat} would repeat what may be done once only, ${counts.diverge + counts.failed} can't go on`,
    ].join('\n');
  });
  return runs.every(({ verdict, message }) => verdict === 'fits' && message === null)
    ? exitCodes.done
    : exitCodes.failed;
}

function of(runs: readonly ChangedRun[], wanted: ChangedRun['verdict']): number {
  return runs.filter(({ verdict }) => verdict === wanted).length;
}

function runLines(
  { run_id: id, forked, verdict, at, message, plan }: ChangedRun,
  source: ProcedureSource | undefined,
  isDry: boolean,
): string[] {
  const name = forked === undefined ? id : `${id} as ${forked}`;
  const head = `${name}  ${verdict}${at === null ? '' : ` at ${at}`}${message === null ? '' : `: ${message}`}`;
  return [head, ...(isDry && plan !== null ? planLines(plan, source).map((line) => `  ${line}`) : [])];
}
