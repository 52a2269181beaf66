import type {
  BacktestedRun,
  BacktestReport,
  BacktestVerdict,
  LogEnd,
} from '../../contract/changes/backtest.js';
import { TactusError, type RunError } from '../../contract/errors.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { BacktestFinding, ProgramEnd } from '../../lua-bridge/index.js';
import { eachLimit } from '../concurrency.js';
import { programOf } from '../runs/replayed-program.js';
import { costOf } from './change-plan.js';
import type { PastRun, PastRunPlace } from './past-runs.js';
import { toItsEnd } from './prove.js';
import { isOutOfReach } from '../runs/run-errors.js';

export interface BacktestOptions {
  /** How many runs are read at once; left out: 8. */
  atOnce?: number;
  /** Is told of each run as it is done. */
  onRun?: (run: BacktestedRun, place: PastRunPlace) => void;
  /** What is known of a run by now, which isn't tested again; left out: nothing. */
  known?: (place: PastRunPlace) => BacktestedRun | undefined;
  /** Runs that haven't begun when it is aborted are left out. */
  signal?: AbortSignal;
}

/**
 * Runs another source by the logs of past runs, here. Nothing is performed, and nothing is asked of anybody. Runs of the report are in the
 * order in which they were given. A run that can't be read has `failed`.
 * @throws TactusError no_worker, server_unreachable
 */
export async function backtest(
  source: ProcedureSource,
  places: readonly PastRunPlace[],
  { atOnce = 8, onRun, known, signal }: BacktestOptions = {},
): Promise<BacktestReport> {
  const done = new Map<PastRunPlace, BacktestedRun>();
  await eachLimit(places, atOnce, async (place) => {
    if (signal?.aborted === true) return;
    const before = known?.(place);
    const run = before ?? (await backtestPlace(source, place));
    done.set(place, run);
    if (before === undefined) onRun?.(run, place);
  });
  return reportOf(places.flatMap((place) => done.get(place) ?? []));
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

async function backtestPlace(source: ProcedureSource, place: PastRunPlace): Promise<BacktestedRun> {
  let past: PastRun;
  try {
    past = await place.read();
  } catch (error) {
    // Without a worker, no other run can be read either.
    if (!(error instanceof TactusError) || isOutOfReach(error)) throw error;
    const told = { message: `The run can't be read: ${error.message}`, after: failedEnd(error.toRunError()) };
    return { ...blank(place.runId), verdict: 'failed', ...told };
  }
  return backtestRun(source, past);
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
  const ended = (end: ProgramEnd | null): LogEnd | null =>
    end === null ? null : { ...end, status: end.status === 'waiting' ? status : end.status };
  switch (finding.verdict) {
    case 'same':
      return { ...paid, verdict: 'same', cost_usd: { before: cost, after: cost } };
    case 'differs': {
      const sides = { before: ended(finding.before), after: ended(finding.after) };
      const message = 'It comes by the whole log, and ends in another way';
      return { ...paid, verdict: 'differs', ...sides, message, cost_usd: { before: cost, after: cost } };
    }
    case 'diverges':
      return { ...paid, ...finding };
    case 'failed': {
      const { error, position, before } = finding;
      const { file, line, message } = error;
      const sides = { before: ended(before), after: failedEnd(error) };
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
