import { randomUUID } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import { asJson, defined, type JsonValue } from '../../contract/json/json.js';
import { isWithin, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import type { HumanAnswer } from '../../contract/people/human-request.js';
import type { ChangePlan } from '../../contract/changes/plan.js';
import { lastArgument } from '../../contract/text/shell-word.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import { assertConsent, planChange, type Consent } from '../changes/change-plan.js';
import { carriedStart, handWork, oldestCarried, type CarriedStart } from './carried-start.js';
import { fork, unpackLog } from '../../log/pack.js';
import { readHanded } from './exact-log.js';
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
export interface Fork extends CarriedStart {
  forkedFrom: string;
  at: Position;
  /** How many checkpoints it begins with. */
  checkpoints: number;
  /** What people have done that the new run goes on without, a line each. */
  leftBehind: string[];
  plan: ChangePlan;
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
  const kept = fork(log, at, set === undefined ? undefined : asResult(log, at, set));
  if (kept === null)
    throw new TactusError(
      'usage',
      `${forkedFrom} has no checkpoint ${at}; tactus-temporal log ${lastArgument(forkedFrom)} shows those that there are`,
    );
  const summary = `${forkedFrom}, another way from ${at} on`;
  const way = { source, runId, summary, before: beganAt(log, at), consent };
  const { carried, ...planned } = await goOnFrom(execution, { log: whole, kept }, way);
  return { ...carried, forkedFrom, at, ...planned };
}

/**
 * The execution of this pass that can be forked at a checkpoint, the newest one, as far as the server keeps them: what a snapshot stands
 * for is in the log of the execution before. The run as it is where none has it. `whole` has what was recorded since, too.
 */
async function executionWith(
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
  const view = await run.status();
  await passesBefore(
    run,
    view,
    () => !hasIt(),
    async (execution) => {
      const { pass } = await execution.status();
      if ((pass?.number ?? 0) !== (view.pass?.number ?? 0)) return {};
      found = { execution, log: await logOf(execution) };
      logs.unshift(found.log);
      return defined({ pass });
    },
  );
  return hasIt() ? { ...found, whole: joined(logs) } : { ...newest, whole: newest.log };
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

/**
 * Reads a run that has failed, for one under the same id that goes on with it: what failed is done anew, and nothing that was recorded before.
 * Where a function of the procedure failed, and no checkpoint, all is kept: another source gets past it. Nothing is started.
 * @param timeout time that the new one may take; left out: no limit
 * @throws TactusError run_not_found; non_determinism where the source doesn't fit; payload_too_large
 */
export async function readAgain(run: TactusRun, again: Again): Promise<OnceMore> {
  return againFrom(run, await logOf(run), again);
}

/** The same with a log that has been read. */
export function againFrom(run: TactusRun, log: Checkpoint[], again: Again): Promise<OnceMore> {
  const at = failedAt(log);
  const kept = at === null ? null : fork(log, at);
  const until = at === null ? {} : { before: beganAt(log, at) };
  return onceMore(run, { log, kept: kept ?? log }, { ...again, ...until });
}

/** How a run that has failed goes on. */
type Again = Pick<Way, 'source' | 'consent'> & { firstExecutionId: string; timeout?: string | undefined };

/** What it is started with. */
type OnceMore = CarriedStart & Pick<Fork, 'plan' | 'leftBehind'>;

/**
 * Reads a run that has failed, for one under the same id that goes on with this part of its log. Nothing is started.
 * @param timeout time that the new one may take; left out: no limit
 * @throws TactusError as `goOnFrom`
 */
export async function onceMore(
  run: TactusRun,
  parts: LogParts,
  { source, firstExecutionId, timeout, ...until }: Again & Pick<Way, 'before'>,
): Promise<OnceMore> {
  const { runId } = run;
  const way = { source, runId, summary: `${runId}, once more`, ...until };
  const { carried, plan, leftBehind } = await goOnFrom(run, parts, way);
  // A call that is made anew has the key that it had.
  const carry = { ...carried.start.carry, firstExecutionId };
  const start = { ...carried.start, carry };
  return { ...carried, start, again: defined({ timeout }), plan, leftBehind };
}

/** The log of a run, and what of it another one goes on with. */
export interface LogParts {
  log: Checkpoint[];
  kept: Checkpoint[];
}

/** How another run goes on. */
interface Way {
  /** What its plan may bring; left out: whatever fits. */
  consent?: Consent;
  source: ProcedureSource | undefined;
  runId: string;
  summary: string;
  /** What people have done later stays behind, in ms since 1970; left out: nothing does. */
  before?: number;
}

/**
 * Proves that the procedure of a run fits what is kept of its log. Nothing is started.
 * @throws TactusError non_determinism where it doesn't fit; payload_too_large
 */
export async function goOnFrom(
  run: TactusRun,
  { log, kept: planned }: LogParts,
  { source, runId, summary, before: until, consent = { mayRepeat: true } }: Way,
): Promise<{ carried: CarriedStart; checkpoints: number; leftBehind: string[]; plan: ChangePlan }> {
  const from = run.runId;
  const before = await run.started();
  const { parent: _, ...same } = before.start;
  const started = {
    ...before,
    engine: Math.max(before.engine, oldestCarried),
    start: source === undefined ? same : { ...unpublished(same), source },
  };
  const work = await readHanded(run);
  const requests = work?.requests ?? [];
  const change = await planChange({
    from: { runId: from, started: before, log, requests },
    to: { runId, started, kept: planned },
  });
  assertConsent(change, consent);
  const { kept, plan } = change;
  const { carry = {}, leftBehind = [olderWorker] } =
    work === null
      ? {}
      : handWork(work, {
          ...{ from, to: runId, ...defined({ before: until }) },
          // What was signed for a run holds for it.
          isSigned: runId !== from && started.start.settings?.signedDecisions === true,
        });
  // The passes before were its own where the id stays.
  const own = runId === from ? defined({ pass: before.pass }) : {};
  const carried = carriedStart(runId, started, { entries: kept }, summary, { ...carry, ...own });
  return { carried, checkpoints: kept.length, leftBehind, plan };
}

/** With another source it is no run of the version that it began with. */
function unpublished({ published: _, ...start }: StartInput): StartInput {
  return start;
}

/**
 * The checkpoint that ended a run, the innermost of those that failed with it; null where none did. A round that failed by its
 * own code is done anew as a whole.
 */
export function failedAt(log: readonly Checkpoint[]): Position | null {
  let found: Checkpoint | null = null;
  for (const entry of [...log].reverse()) {
    const { outcome, position } = entry;
    if (outcome.ok) break;
    if (found !== null && !(isWithin(position, found.position) && isSameFailure(outcome, found.outcome)))
      break;
    found = entry;
  }
  return found?.position ?? null;
}

function isSameFailure(one: Checkpoint['outcome'], other: Checkpoint['outcome']): boolean {
  return !one.ok && !other.ok && one.code === other.code;
}

const olderWorker =
  "votes, times, events and what was said to agents: the run's worker is too old to tell of them";

/** When what the checkpoint was made by was asked for, in ms since 1970: what came about later goes the old way. */
function beganAt(log: readonly Checkpoint[], at: Position): number {
  const inside = log.filter(({ position }) => isWithin(position, at));
  return Math.min(...inside.map(({ at: ended, durationMs }) => ended - durationMs));
}

/** @throws TactusError payload_too_large */
export async function logOf(run: TactusRun): Promise<Checkpoint[]> {
  const packed = await run.packedCheckpoints();
  if (packed.length === 0)
    throw new TactusError(
      'payload_too_large',
      `The log of ${run.runId} is too large to be given to another run`,
    );
  return unpackLog(packed);
}

/** A person's answer is recorded with who gave it: nobody did. */
function asResult(log: readonly Checkpoint[], at: Position, value: JsonValue): JsonValue {
  const isAnswer = log.some(({ position, type }) => position === at && type.startsWith('hitl_'));
  const answer: HumanAnswer = { value, timed_out: false, by: null, comment: null };
  return isAnswer ? asJson(answer) : value;
}
