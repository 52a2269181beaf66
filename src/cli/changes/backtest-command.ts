import { Command, Option } from 'commander';
import { backtest, estimateTrials, pastRuns, type PastRunPlace } from '../../client/runs/index.js';
import { trialModes, type TrialMode } from '../../contract/changes/trial.js';
import { sourceHash } from '../../contract/procedures/source.js';
import { collectFile } from '../../sources/collect-source.js';
import {
  act,
  exitCodes,
  interruption,
  ownVersion,
  readCount,
  readTime,
  TactusError,
  type Screen,
} from '../command.js';
import { readValue } from '../runs/read-input.js';
import { withSession } from '../session.js';
import { BacktestJournal } from './backtest-journal.js';
import { backtestText } from './backtest-text.js';
import { asked, placesOf } from './past-run-places.js';

interface BacktestFlags {
  procedure?: string;
  since?: string;
  mode: 'recorded' | TrialMode;
  limit: string;
  decide?: string;
  limitUsd?: string;
  yes?: true;
}

/** How often is said how far it is, in ms. */
const progressMs = 2_000;

/** `backtest FILE RUN…`: what the logs of past runs say of a new source. */
export function backtestCommand(): Command {
  return new Command('backtest')
    .description(
      'try a new source on the logs of past runs: which of them end the same, differ, diverge or fail',
    )
    .argument('<file>', 'the new source of the procedure')
    .argument('[runs...]', 'ids of runs, or files that export has written')
    .option('--procedure <name>', 'all runs of this procedure that have ended, the newest first')
    .option(
      '--since <time>',
      'only those started at this time or later: a date, or an age such as 24h or 30d',
    )
    .option('--limit <n>', 'only the newest so many of them', '1000')
    .addOption(
      new Option(
        '--mode <mode>',
        'recorded: nothing is asked, and all answers come from the log; teacher: models are asked anew; live: what is pure or idempotent is done anew too',
      )
        .choices(['recorded', ...trialModes])
        .default('recorded'),
    )
    .option('--decide <value>', 'with teacher and live, what people say to what they were not asked then')
    .option('--limit-usd <x>', 'with teacher and live, what models may be paid for all runs')
    .option('--yes', 'with teacher and live, begin without a limit')
    .action(
      act(async (context, flags: BacktestFlags, file: string, runs: string[]) => {
        const limit = readCount(flags.limit, '--limit');
        const since = flags.since === undefined ? undefined : readTime(flags.since, '--since', Date.now());
        const hasNames = runs.length > 0;
        if ((flags.procedure === undefined) !== hasNames || (hasNames && since !== undefined))
          throw new TactusError(
            'usage',
            'Name the runs to try the source on, or --procedure (with --since and --limit), and not both',
          );
        const isTrial = flags.mode !== 'recorded';
        const others = [flags.decide, flags.limitUsd, flags.yes];
        if (!isTrial && others.some((each) => each !== undefined))
          throw new TactusError(
            'usage',
            '--decide, --limit-usd and --yes are for --mode teacher and --mode live: by the log alone, nobody is asked or paid',
          );
        const decide = flags.decide === undefined ? undefined : await readValue(flags.decide, '--decide');
        const limitUsd = flags.limitUsd === undefined ? undefined : readUsd(flags.limitUsd);
        const source = await collectFile(file);
        return withSession(context, async (session) => {
          const places =
            flags.procedure === undefined
              ? await placesOf(session, runs)
              : await pastRuns(session.tactus, { procedure: flags.procedure, since, limit });
          if (places.length === 0)
            throw new TactusError(
              'usage',
              `No run of ${flags.procedure} has ended${since === undefined ? '' : ` since ${since}`}`,
            );
          const { address, namespace } = session.target;
          const asking = places.map((place) => asked(session, place));
          if (isTrial) {
            await session.worker.provide({ performs: true });
            await assertAffordable(context.screen, asking, { limitUsd, yes: flags.yes === true });
          }
          const journal = new BacktestJournal(process.cwd(), [
            ...[ownVersion(), flags.mode, sourceHash(source), ...(decide === undefined ? [] : [decide])],
            ...(session.embedded === null ? [address, namespace] : []),
          ]);
          const { signal, dispose } = interruption();
          const progress = new Progress(context.screen, places.length);
          try {
            const report = await backtest(source, asking, {
              signal,
              trial:
                flags.mode === 'recorded'
                  ? undefined
                  : { tactus: session.tactus, mode: flags.mode, decide, limitUsd, key: journal.attempt },
              known: (place) => progress.seen(journal.known(place)),
              onRun: (run, place) => {
                journal.add(place, run);
                progress.seen(run);
              },
            });
            if (!signal.aborted) journal.remove();
            context.screen.answer(report, () => backtestText(report, source));
            if (signal.aborted) {
              context.screen.warn(
                `Interrupted after ${report.runs.length} of ${places.length} runs: the same command goes on from there`,
              );
              return exitCodes.interrupted;
            }
            const left = places.length - report.runs.length;
            if (left > 0)
              context.screen.warn(
                `${left} of ${places.length} runs ${left === 1 ? 'was not tried: it' : 'were not tried: they'} would go beyond --limit-usd`,
              );
            return report.same === places.length ? exitCodes.done : exitCodes.failed;
          } finally {
            dispose();
          }
        });
      }),
    );
}

/** @throws TactusError usage where whoever asks has said nothing of what it may cost */
async function assertAffordable(
  screen: Screen,
  places: readonly PastRunPlace[],
  { limitUsd, yes }: { limitUsd: number | undefined; yes: boolean },
): Promise<void> {
  const { usd, unknown } = await estimateTrials(places);
  const runs = `${places.length} ${places.length === 1 ? 'run' : 'runs'}`;
  const besides = unknown === 0 ? '' : `, and nobody knows what ${unknown} of them cost`;
  const told = `Models were paid ${usd} US dollars for ${runs}${besides}: trying another source is expected to cost as much`;
  if (limitUsd === undefined && !yes)
    throw new TactusError('usage', `${told}. Say what it may cost with --limit-usd, or --yes`);
  screen.note(told);
}

function readUsd(text: string): number {
  const usd = Number(text);
  if (!(usd > 0) || text.trim() === '')
    throw new TactusError('usage', `--limit-usd takes US dollars, such as 0.50, and not ${text}`);
  return usd;
}

/** Says now and then how far it is. */
class Progress {
  private done = 0;
  private toldAt = Date.now();

  constructor(
    private readonly screen: Screen,
    private readonly all: number,
  ) {}

  seen<T>(run: T): T {
    if (run === undefined) return run;
    this.done += 1;
    if (Date.now() - this.toldAt >= progressMs) {
      this.toldAt = Date.now();
      this.screen.note(`${this.done} of ${this.all} runs …`);
    }
    return run;
  }
}
