import { Command } from 'commander';
import { upgradeRun, upgradeRuns, type OpenRunsOf, type UpgradedRun } from '../../client/runs/index.js';
import { defined } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { collectFile } from '../../sources/collect-source.js';
import { accountName } from '../authority/signing-options.js';
import { act, collect, exitCodes, readCount, TactusError, type ExitCode } from '../command.js';
import { withSession, type Session } from '../session.js';
import { mostShown, tellEvery, withChangeFlags, type ChangeFlags } from './change-flags.js';
import { divergenceLines, planLines } from './plan-text.js';

interface UpgradeFlags extends ChangeFlags {
  procedure?: string;
  all?: boolean;
  from: string[];
  to?: string;
  limit?: string;
  reask?: boolean;
  accept?: string[];
}

/** `upgrade RUN… --source FILE`: open runs go on with new source, where it fits what they have done. */
export function upgradeCommand(): Command {
  const command = new Command('upgrade')
    .description('make open runs go on with new source; a run that it does not fit stays as it was')
    .argument('[runs...]', 'ids of runs')
    .option('--procedure <name>', 'with --all: the procedure whose open runs are meant')
    .option('--all', 'all open runs of --procedure')
    .option(
      '--from <version>',
      'with --all: only runs of this published version; may be repeated',
      collect,
      [],
    )
    .option('--to <version>', 'the published version of --procedure to go on with, instead of --source')
    .option('--limit <number>', 'move so many runs at most; the same command again goes on with the others')
    .option('--reask', 'ask anew, or drop, what is open and was edited: requests, timers, child runs')
    .option('--accept <setting...>', 'with --strict: settings that may differ, such as system_prompt');
  return withChangeFlags(command).action(
    act(async (context, flags: UpgradeFlags, runs: string[]) => {
      const { screen } = context;
      const which = whichRuns(runs, flags);
      const limit = flags.limit === undefined ? undefined : readCount(flags.limit, '--limit');
      const given = givenSource(flags);
      const file = typeof given === 'string' ? await collectFile(given) : null;
      const { dryRun, strict, accept, reask: mayAskAnew } = flags;
      const options = { ...defined({ dryRun, strict, accept, mayAskAnew }), by: accountName() };
      return withSession(context, async (session) => {
        const source = file ?? (await publishedSource(session, given));
        const upgraded: UpgradedRun[] = [];
        const onUpgraded = (run: UpgradedRun): void => {
          upgraded.push(run);
          if (upgraded.length % tellEvery === 0)
            screen.note(`${upgraded.length} runs: ${countsText(upgraded)}`);
        };
        // The proof inside of a run is a worker's.
        if (dryRun !== true) await session.worker.provide({ performs: !(await session.worker.hasLive()) });
        const { ask } = session.asking;
        const asking = { ...options, ask };
        const [alone, ...others] = runs;
        // What is wrong with a run that was named alone is the error of the command.
        if (alone !== undefined && others.length === 0)
          onUpgraded(await upgradeRun(session.tactus.attach(alone), source, asking));
        else
          await upgradeRuns(session.tactus, which, source, { ...asking, ...defined({ limit }), onUpgraded });
        await session.worker.end();
        const told = {
          runs: upgraded,
          ...{ fit: of(upgraded, 'fits'), diverge: of(upgraded, 'diverges') },
          ...{ failed: of(upgraded, 'failed'), ended: of(upgraded, 'ended') },
          moved: upgraded.filter(({ moved }) => moved).length,
        };
        screen.answer(told, () => reportText(upgraded, source, dryRun === true));
        return exitCodeOf(upgraded, flags);
      });
    }),
  );
}

/** @throws TactusError usage */
function whichRuns(runs: string[], { procedure, all, from }: UpgradeFlags): string[] | OpenRunsOf {
  if (runs.length > 0 && procedure === undefined && all !== true && from.length === 0) return runs;
  if (runs.length === 0 && procedure !== undefined && all === true)
    return from.length === 0
      ? { procedure }
      : { procedure, versions: new Set(from.map((each) => readCount(each, '--from'))) };
  throw new TactusError('usage', 'upgrade takes ids of runs, or --procedure NAME together with --all');
}

/** A version that the cluster keeps. */
interface NamedVersion {
  procedure: string;
  version: number;
}

/**
 * The file of the procedure, or a version of it that is published.
 * @throws TactusError usage
 */
function givenSource({ source, to, procedure }: UpgradeFlags): string | NamedVersion {
  if (source !== undefined && to === undefined) return source;
  if (source === undefined && to !== undefined && procedure !== undefined)
    return { procedure, version: readCount(to, '--to') };
  throw new TactusError(
    'usage',
    'upgrade needs --source: the file of the procedure as it is to be, or --procedure NAME with --to: its published version',
  );
}

/** @throws TactusError source_not_found, change_refused where nothing of the kind is published */
function publishedSource(session: Session, given: string | NamedVersion): Promise<ProcedureSource> {
  const { procedure, version } = given as NamedVersion;
  return session.asking.look(() => session.tactus.published.source(procedure, version));
}

function of(runs: readonly UpgradedRun[], wanted: UpgradedRun['verdict']): number {
  return runs.filter(({ verdict }) => verdict === wanted).length;
}

function countsText(runs: readonly UpgradedRun[]): string {
  const moved = runs.filter((run) => run.moved).length;
  const counts = { fit: of(runs, 'fits'), moved, "don't fit": of(runs, 'diverges') };
  const rest = { failed: of(runs, 'failed'), 'have ended': of(runs, 'ended') };
  return [...Object.entries(counts), ...Object.entries(rest).filter(([, count]) => count > 0)]
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

/** A run alone with its plan; of many, those that need somebody first. */
function reportText(runs: readonly UpgradedRun[], source: ProcedureSource, isDry: boolean): string {
  const [alone, ...others] = runs;
  if (alone !== undefined && others.length === 0) return lines(alone, source, isDry).join('\n');
  const left = runs.filter((run) => !run.moved && !(isDry && run.verdict === 'fits'));
  const more = left.length - mostShown;
  return [
    ...left
      .slice(0, mostShown)
      .map((run) => `${run.run_id}  ${run.verdict}${placeOf(run)}: ${run.message ?? ''}`),
    ...(more > 0 ? [`and ${more} more`] : []),
    countsText(runs),
  ].join('\n');
}

function placeOf({ position, file, line }: UpgradedRun): string {
  if (position === null) return '';
  return ` at ${position}${line === null ? '' : `, ${file}:${line}`}`;
}

function lines(run: UpgradedRun, source: ProcedureSource, isDry: boolean): string[] {
  const { plan, moved, message, verdict } = run;
  const planned = plan === null ? [] : planLines(plan, source);
  if (moved) return [`${run.run_id} goes on with the new source`, ...planned];
  if (verdict === 'diverges' && plan?.diverges != null) return divergenceLines(plan.diverges, source);
  if (isDry && message === null) return [`${run.run_id} can go on with the new source`, ...planned];
  return [`${run.run_id} stays as it was: ${message ?? verdict}`];
}

/** Runs that have ended meanwhile need nothing, where all open ones were meant. */
function exitCodeOf(runs: readonly UpgradedRun[], { all }: UpgradeFlags): ExitCode {
  const isFine = ({ verdict, message, plan }: UpgradedRun): boolean =>
    (verdict === 'fits' && (message === null || plan === null)) || (verdict === 'ended' && all === true);
  return runs.every(isFine) ? exitCodes.done : exitCodes.failed;
}
