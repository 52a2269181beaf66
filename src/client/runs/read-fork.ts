import { randomUUID } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import { asJson, defined, type JsonValue } from '../../contract/json/json.js';
import type { Checkpoint, Position } from '../../contract/checkpoints/checkpoint.js';
import type { HumanAnswer } from '../../contract/people/human-request.js';
import { cutMessage } from '../../contract/text/plain-text.js';
import { lastArgument } from '../../contract/text/shell-word.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { assertConsent, type Consent } from '../changes/change-plan.js';
import { beganAt, carriedFrom, changesWith, goOnFrom, logOf, told, type Told } from '../changes/go-on.js';
import type { CarriedStart } from './carried-start.js';
import { fork } from '../../log/pack.js';
import { passesBefore } from './passes.js';
import type { TactusRun } from '../tactus-run.js';

export interface ForkOptions extends Consent {
  /** The checkpoint from which on the new run goes its own way, as `log` shows it: `3`, or `4.0.2`. */
  at: Position;
  /**
   * What the checkpoint has come to in the new run, as `log` shows results; of a question to people, what was answered.
   * Left out: it is asked for anew.
   */
  set?: JsonValue | undefined;
  /** The procedure as it is to be from now on; left out: that of the run. */
  source?: ProcedureSource | undefined;
  /** Id of the new run; left out: one is made. */
  runId?: string | undefined;
}

/** What a run is started with that goes on with the beginning of another one's log. */
export interface Fork extends CarriedStart, Told {
  forkedFrom: string;
  at: Position;
}

/**
 * Reads a run, and proves that the procedure fits what is kept of its log: it is run here, up to where it asks for
 * something new. Nothing is started.
 * @throws TactusError run_not_found; usage where the run has no such checkpoint; non_determinism where the source doesn't
 *   fit; payload_too_large
 */
export async function readFork(
  run: TactusRun,
  { at, set, source, runId = `${run.runId}-${randomUUID().slice(0, 8)}`, ...consent }: ForkOptions,
): Promise<Fork> {
  const forkedFrom = run.runId;
  const { execution, log, whole } = await executionWith(run, at, set !== undefined);
  const kept = keptOf(forkedFrom, log, { at, set });
  const summary = `${forkedFrom}, another way from ${at} on`;
  const way = { source, runId, summary, before: beganAt(log, at) };
  const planned = await withSet({ at, set }, () => goOnFrom(execution, { log: whole, kept }, way));
  assertConsent(planned, consent);
  const change = { kind: 'fork', position: at, run: forkedFrom } as const;
  const changes = await changesWith(execution, planned, change);
  return { ...carriedFrom(planned, { changes }), forkedFrom, at, ...told(planned) };
}

/**
 * The log up to a checkpoint; with `set`, with this checkpoint as it is to be.
 * @throws TactusError usage where the run has no such checkpoint
 */
export function keptOf(
  runId: string,
  log: readonly Checkpoint[],
  { at, set }: Pick<ForkOptions, 'at' | 'set'>,
): Checkpoint[] {
  const kept = fork(log, at, set === undefined ? undefined : asResult(log, at, set));
  if (kept === null)
    throw new TactusError(
      'usage',
      `${runId} has no checkpoint ${at}; tactus-temporal log ${lastArgument(runId)} shows those that there are`,
    );
  return kept;
}

/**
 * Plans with what a checkpoint is to have come to.
 * @throws TactusError usage where nothing of that kind can come to it
 */
export async function withSet<T>(
  { at, set }: Pick<ForkOptions, 'at' | 'set'>,
  plan: () => Promise<T>,
): Promise<T> {
  try {
    return await plan();
  } catch (error) {
    // What replays the log reads what is set as if it had been recorded.
    if (set === undefined || !(error instanceof TypeError)) throw error;
    throw new TactusError(
      'usage',
      `The checkpoint ${at} can't come to ${cutMessage(JSON.stringify(set), 100)}; expected is what log --json shows as its result, or the answer of a person`,
    );
  }
}

/**
 * The execution of this pass that can be forked at a checkpoint, the newest one, as far as the server keeps them: what a snapshot stands
 * for is in the log of the execution before. The run as it is where none has it. `whole` has what was recorded since, too.
 */
export async function executionWith(
  run: TactusRun,
  at: Position,
  isSet: boolean,
): Promise<{ execution: TactusRun; log: Checkpoint[]; whole: Checkpoint[] }> {
  const newest = { execution: run, log: await logOf(run) };
  let found = newest;
  const hasIt = (): boolean =>
    found.log.some(
      ({ position, snapshot }) =>
        position === at && (isSet || snapshot === undefined || snapshot.frame === at),
    );
  if (hasIt()) return { ...newest, whole: newest.log };
  const logs = [newest.log];
  await eachBefore(
    run,
    () => !hasIt(),
    (execution, log) => {
      found = { execution, log };
      logs.unshift(log);
    },
  );
  return hasIt() ? { ...found, whole: joined(logs) } : { ...newest, whole: newest.log };
}

/**
 * All that a run has recorded in its pass, without snapshots; null where the server no longer keeps an execution with a part of it.
 * @throws TactusError payload_too_large
 */
export async function wholeLog(run: TactusRun): Promise<Checkpoint[] | null> {
  const logs = [await logOf(run)];
  const isWhole = (): boolean => logs[0]?.every(({ snapshot }) => snapshot === undefined) === true;
  await eachBefore(
    run,
    () => !isWhole(),
    (_, log) => logs.unshift(log),
  );
  return isWhole() ? joined(logs) : null;
}

/** Reads the executions of this pass before the newest one, the later ones first, while their logs are wanted. */
async function eachBefore(
  run: TactusRun,
  isWanted: () => boolean,
  take: (execution: TactusRun, log: Checkpoint[]) => void,
): Promise<void> {
  const view = await run.status();
  await passesBefore(run, view, isWanted, async (execution) => {
    const { pass } = await execution.status();
    if ((pass?.number ?? 0) !== (view.pass?.number ?? 0)) return {};
    take(execution, await logOf(execution));
    return defined({ pass });
  });
}

/** What several executions have recorded, one after the other. Where a later one begins at a snapshot, what it stands for is there. */
function joined([first = [], ...later]: readonly Checkpoint[][]): Checkpoint[] {
  const known = new Set(first.map(({ position }) => position));
  const added = later.flat().flatMap(({ snapshot: _, ...entry }) => {
    if (known.has(entry.position)) return [];
    known.add(entry.position);
    return [entry];
  });
  return [...first, ...added];
}

/** A person's answer is recorded with who gave it: nobody did. */
function asResult(log: readonly Checkpoint[], at: Position, value: JsonValue): JsonValue {
  const isAnswer = log.some(({ position, type }) => position === at && type.startsWith('hitl_'));
  const answer: HumanAnswer = { value, timed_out: false, by: null, comment: null };
  return isAnswer ? asJson(answer) : value;
}
