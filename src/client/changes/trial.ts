import type { LogEnd } from '../../contract/changes/backtest.js';
import { trialId, type Trial, type TrialAnswer, type TrialMode } from '../../contract/changes/trial.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { hasCode, TactusError, type NamedCheckpoint } from '../../contract/errors.js';
import { defined, type JsonValue } from '../../contract/json/json.js';
import { modelCall } from '../../contract/models/model-call-effect.js';
import { predict } from '../../contract/predictions/predict-effect.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { PastAnswers } from '../../lua-bridge/index.js';
import { carriedStart } from '../runs/carried-start.js';
import { programOf } from '../runs/replayed-program.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';
import { costOf } from './change-plan.js';
import { logOf } from './go-on.js';
import type { PastRun } from './past-runs.js';
import { toItsEnd } from './prove.js';

/** How another source is tried on past runs with models that answer anew. */
export interface TrialOptions {
  /** Starts the runs, each under an id that begins with `trial:`. */
  tactus: TactusClient;
  mode: TrialMode;
  /** What people say to what they weren't asked then; left out: the trial diverges there. */
  decide?: JsonValue | undefined;
  /**
   * US dollars that models may be paid for all of them; left out: no limit. A run isn't begun whose models were paid more than is left.
   * One that costs more than it did then is not stopped.
   */
  limitUsd?: number | undefined;
  /** Of the attempt: who interrupted one goes on with its runs by the same key. */
  key: string;
}

const modelTypes: ReadonlySet<string> = new Set([...modelCall.types, ...predict.types]);

/** A trial gets no further than a day. */
const longestTrial = '1 day';

/** How a run ended with the new source. */
export interface TriedRun {
  before: PastAnswers['end'];
  after: Omit<LogEnd, 'status'> & { status: 'completed' | 'failed' };
  /** Where it asks for what isn't recorded and isn't done, or doesn't ask for what is; null: nowhere. */
  diverges: {
    position: string | null;
    file: string | null;
    line: number | null;
    expected: NamedCheckpoint | null;
    found: NamedCheckpoint | null;
    message: string;
  } | null;
  /** US dollars; null: it isn't known. */
  costUsd: number | null;
}

/**
 * Runs another source on the server, with the answers of a past run.
 * @param signal ends the waiting: the run goes on, and another attempt with the same key waits for it
 * @throws TactusError usage where the past run can't be tried; payload_too_large; no_worker, server_unreachable; the reason of the signal
 */
export async function tryOn(
  source: ProcedureSource,
  past: PastRun,
  { tactus, mode, decide, key }: TrialOptions,
  signal?: AbortSignal,
): Promise<TriedRun> {
  const { runId, started } = past;
  const {
    source: own,
    parent: _,
    labels: __,
    published: ___,
    searchAttributes: ____,
    ...same
  } = started.start;
  if (own === undefined) throw new TactusError('usage', `Nobody knows the source of ${runId}`);
  const log = await past.wholeLog();
  if (log === null)
    throw new TactusError(
      'usage',
      `The server no longer has all that ${runId} has recorded: it can be tried with --mode recorded`,
    );
  const { PastAnswersReader } = await import('../../lua-bridge/index.js');
  const reader = new PastAnswersReader(log, await programOf(runId, started, own));
  const { answers, end: before } = await toItsEnd(reader);
  if (before.error?.code === 'non_determinism') throw new TactusError('usage', before.error.message);
  if (log.some(({ type }) => type === 'steering'))
    throw new TactusError(
      'usage',
      `Somebody has spoken to an agent of ${runId} while it was at work: it can be tried with --mode recorded`,
    );
  if (before.status === 'waiting')
    throw new TactusError('usage', `${runId} has not ended by itself: it can be tried with --mode recorded`);
  const trial: Trial = { of: runId, mode, answers, ...defined({ decide }) };
  const id = trialId(key, runId);
  const summary = `${runId}, tried with another source`;
  const carried = carriedStart(
    id,
    { ...started, start: { ...same, source } },
    { entries: [], trial },
    summary,
  );
  try {
    await tactus.startFork({ ...carried, timeout: longestTrial });
  } catch (error) {
    // Begun before this was interrupted.
    if (!hasCode(error, 'run_conflict')) throw error;
  }
  return triedRun(tactus, tactus.attach(id), { before, answers, signal });
}

interface Awaiting {
  answers: readonly TrialAnswer[];
  signal: AbortSignal | undefined;
}

async function triedRun(
  tactus: TactusClient,
  run: TactusRun,
  { before, answers, signal }: Pick<TriedRun, 'before'> & Awaiting,
): Promise<TriedRun> {
  let failure: TactusError | null = null;
  let output: JsonValue = null;
  try {
    output = await tactus.result(run, defined({ signal }));
  } catch (error) {
    if (!(error instanceof TactusError) || hasCode(error, 'run_not_found')) throw error;
    failure = error;
  }
  const { state, usage } = await run.status();
  const costUsd = usage.cost_usd;
  const error = failure?.toRunError() ?? null;
  const after = { status: error === null ? 'completed' : 'failed', output, state, error } as const;
  if (failure !== null && hasCode(failure, 'non_determinism')) {
    const { position = null, expected, found } = failure.details;
    const { file, line, message } = failure.toRunError();
    const sides = { expected: namedIn(expected)[0] ?? null, found: namedIn(found)[0] ?? null };
    return { before, after, costUsd, diverges: { position, file, line, message, ...sides } };
  }
  const unasked = failure === null ? firstUnasked(answers, await logOf(run)) : null;
  return { before, after, costUsd, diverges: unasked === null ? null : neverAsked(unasked) };
}

/** What was answered then, and isn't asked for now; what models were asked for goes its own way. */
function firstUnasked(answers: readonly TrialAnswer[], log: readonly Checkpoint[]): TrialAnswer | null {
  const asked = new Set(log.map(({ position }) => position));
  const counts = ({ type, outcome }: TrialAnswer): boolean => outcome !== null && !modelTypes.has(type);
  return answers.find((each) => counts(each) && !asked.has(each.position)) ?? null;
}

function neverAsked({ position, type, name }: TrialAnswer): NonNullable<TriedRun['diverges']> {
  const message = `Recorded is ${type} '${name}' at ${position}: the procedure now doesn't ask for it`;
  return { position, file: null, line: null, expected: { position, type, name }, found: null, message };
}

function namedIn(side: unknown): NamedCheckpoint[] {
  return [side].flat().filter((each): each is NamedCheckpoint => typeof each === 'object' && each !== null);
}

/** What models were paid for a run, which a trial of it is expected to cost too; null: it isn't known. */
export function estimateOf({ log }: PastRun): number | null {
  return costOf(log, ({ type }) => modelTypes.has(type));
}
