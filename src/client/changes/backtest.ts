import type {
  BacktestedRun,
  BacktestReport,
  BacktestVerdict,
  LogEnd,
} from '../../contract/changes/backtest.js';
import { TactusError, type RunError } from '../../contract/errors.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { BacktestFinding, ProgramEnd } from '../../lua-bridge/index.js';
import { exact } from '../../contract/models/model-call.js';
import { eachLimit } from '../concurrency.js';
import { programOf } from '../runs/replayed-program.js';
import { costOf } from './change-plan.js';
import type { PastRun, PastRunPlace } from './past-runs.js';
import { toItsEnd } from './prove.js';
import { isOutOfReach } from '../runs/run-errors.js';
import { estimateOf, tryOn, type TrialOptions, type TriedRun } from './trial.js';

export interface BacktestOptions {
  /** How many runs are read at once; left out: 8. */
  atOnce?: number;
  /** Is told of each run as it is done. */
  onRun?: (run: BacktestedRun, place: PastRunPlace) => void;
  /** What is known of a run by now, which isn't tested again; left out: nothing. */
  known?: (place: PastRunPlace) => BacktestedRun | undefined;
  /** Runs that haven't begun when it is aborted are left out. */
  signal?: AbortSignal;
  /** Models answer anew: the source is run on the server. Left out: all is answered as it is recorded, here. */
  trial?: TrialOptions | undefined;
}

/**
 * Runs another source by the logs of past runs. Nothing is performed, and nothing is asked of anybody, but what `trial` says. Runs of the
 * report are in the order in which they were given. A run that can't be read, or tried, has `failed`.
 * @throws TactusError no_worker, server_unreachable
 */
export async function backtest(
  source: ProcedureSource,
  places: readonly PastRunPlace[],
  { atOnce = 8, onRun, known, signal, trial }: BacktestOptions = {},
): Promise<BacktestReport> {
  const done = new Map<PastRunPlace, BacktestedRun>();
  const money = new Money(trial?.limitUsd ?? Infinity);
  await eachLimit(places, atOnce, async (place) => {
    if (signal?.aborted === true) return;
    const before = known?.(place);
    const run = before ?? (await backtestPlace(source, place, { trial, money, signal }));
    if (run === null) return;
    done.set(place, run);
    if (before === undefined) onRun?.(run, place);
    else money.spend(before.cost_usd.after);
  });
  return reportOf(places.flatMap((place) => done.get(place) ?? []));
}

/** What trials may still cost, in US dollars. */
class Money {
  constructor(private left: number) {}

  /** False: not as much is left. A price that isn't known is no price. */
  take(estimate: number | null): boolean {
    if ((estimate ?? 0) > this.left || this.left <= 0) return false;
    this.left -= estimate ?? 0;
    return true;
  }

  /** @param taken what was taken for it before */
  spend(cost: number | null, taken: number | null = 0): void {
    this.left -= (cost ?? taken ?? 0) - (taken ?? 0);
  }
}

/**
 * What past runs cost, and trials of them are expected to: in US dollars; `unknown` runs have models without a known price, or can't be
 * read.
 */
export async function estimateTrials(
  places: readonly PastRunPlace[],
  atOnce = 8,
): Promise<{ usd: number; unknown: number }> {
  let usd = 0;
  let unknown = 0;
  await eachLimit(places, atOnce, async (place) => {
    const cost = await place.read().then(estimateOf, (error: unknown) => {
      if (!(error instanceof TactusError) || isOutOfReach(error)) throw error;
      return null;
    });
    if (cost === null) unknown += 1;
    else usd += cost;
  });
  return { usd: exact(usd), unknown };
}

function reportOf(runs: BacktestedRun[]): BacktestReport {
  const count = (wanted: BacktestVerdict): number => runs.filter(({ verdict }) => verdict === wanted).length;
  return {
    runs,
    same: count('same'),
    differs: count('differs'),
    diverges: count('diverges'),
    failed: count('failed'),
  };
}

interface Trying {
  trial: TrialOptions | undefined;
  money: Money;
  signal: AbortSignal | undefined;
}

/** null: there is no money left for it, or nobody waits for it. */
async function backtestPlace(
  source: ProcedureSource,
  place: PastRunPlace,
  { trial, money, signal }: Trying,
): Promise<BacktestedRun | null> {
  let past: PastRun;
  try {
    past = await place.read();
  } catch (error) {
    // Without a worker, no other run can be read either.
    if (!(error instanceof TactusError) || isOutOfReach(error)) throw error;
    const told = { message: `The run can't be read: ${error.message}`, after: failedEnd(error.toRunError()) };
    return { ...blank(place.runId), verdict: 'failed', ...told };
  }
  if (trial === undefined) return backtestRun(source, past);
  const estimate = estimateOf(past);
  if (!money.take(estimate)) return null;
  const run = await trialOf(source, past, trial, signal);
  if (run !== null) money.spend(run.cost_usd.after, estimate);
  return run;
}

/** Tries another source on one run, with models that answer anew; null: nobody waits for it. */
async function trialOf(
  source: ProcedureSource,
  past: PastRun,
  trial: TrialOptions,
  signal?: AbortSignal,
): Promise<BacktestedRun | null> {
  const { isSameEnd } = await import('../../lua-bridge/index.js');
  const cost = costOf(past.log, () => true);
  let tried: TriedRun;
  try {
    tried = await tryOn(source, past, trial, signal);
  } catch (error) {
    if (signal?.aborted === true) return null;
    if (!(error instanceof TactusError) || isOutOfReach(error)) throw error;
    const after = failedEnd(error.toRunError());
    const cost_usd = { before: cost, after: null };
    return { ...blank(past.runId), verdict: 'failed', message: error.message, after, cost_usd };
  }
  const { before, after, diverges, costUsd } = tried;
  const run = { ...blank(past.runId), cost_usd: { before: cost, after: costUsd } };
  if (diverges !== null) return { ...run, verdict: 'diverges', ...diverges };
  if (isSameEnd(before, after)) return { ...run, verdict: 'same' };
  const sides = { before: ended(before, past.status), after };
  if (after.error === null || before.status === 'failed')
    return { ...run, verdict: 'differs', ...sides, message: 'It ends in another way' };
  const { file, line, message } = after.error;
  return { ...run, verdict: 'failed', file, line, ...sides, message };
}

function ended(end: ProgramEnd, status: PastRun['status']): LogEnd {
  return { ...end, status: end.status === 'waiting' ? status : end.status };
}

/** Runs another source by the log of one run. */
async function backtestRun(source: ProcedureSource, past: PastRun): Promise<BacktestedRun> {
  const { runId, started, log } = past;
  const { Backtest } = await import('../../lua-bridge/index.js');
  const { source: own } = started.start;
  const test = new Backtest({
    log,
    before: own === undefined ? null : await programOf(runId, started, own),
    after: { ...(await programOf(runId, started, source)), carried: log },
  });
  return runOf(past, await toItsEnd(test));
}

function runOf({ runId, status, log }: PastRun, finding: BacktestFinding): BacktestedRun {
  const cost = costOf(log, () => true);
  const paid = { ...blank(runId), cost_usd: { before: cost, after: null } };
  const sideOf = (end: ProgramEnd | null): LogEnd | null => (end === null ? null : ended(end, status));
  switch (finding.verdict) {
    case 'same':
      return { ...paid, verdict: 'same', cost_usd: { before: cost, after: cost } };
    case 'differs': {
      const sides = { before: sideOf(finding.before), after: sideOf(finding.after) };
      const message = 'It comes by the whole log, and ends in another way';
      return { ...paid, verdict: 'differs', ...sides, message, cost_usd: { before: cost, after: cost } };
    }
    case 'diverges':
      return { ...paid, ...finding };
    case 'failed': {
      const { error, position, before } = finding;
      const { file, line, message } = error;
      const sides = { before: sideOf(before), after: failedEnd(error) };
      return { ...paid, verdict: 'failed', position, file, line, ...sides, message };
    }
  }
}

function blank(runId: string): Omit<BacktestedRun, 'verdict'> {
  return {
    ...{ run_id: runId, position: null, file: null, line: null, before: null, after: null },
    ...{ expected: null, found: null, message: null, cost_usd: { before: null, after: null } },
  };
}

function failedEnd(error: RunError): LogEnd {
  return { status: 'failed', output: null, state: {}, error };
}
