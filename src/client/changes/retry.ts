import type { WorkflowExecutionDescription } from '@temporalio/client';
import { isWithin, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { shellWord } from '../../contract/text/shell-word.js';
import { failureIn } from '../../log/requeue.js';
import type { CarriedStart } from '../runs/carried-start.js';
import { fork } from '../../log/pack.js';
import {
  beganAt,
  carriedFrom,
  changesWith,
  goOnFrom,
  logOf,
  told,
  type LogParts,
  type Told,
  type Way,
} from './go-on.js';
import { failuresToldBy } from './child-ends.js';
import { ChildrenBefore, type TryAgain } from './children-before.js';
import { readCheckpoints } from '../runs/exact-log.js';
import { startOfRun } from '../runs/start-input.js';
import { describeRun, firstExecutionOf } from '../runs/view-run.js';
import type { TactusRun } from '../tactus-run.js';
import { assertConsent, type Consent } from './change-plan.js';

export interface RetryOptions extends Consent {
  /** The procedure as it is to be from now on; left out: that of the run. */
  source?: ProcedureSource | undefined;
}

/** What a run that has failed is started with once more. */
export interface Retry extends CarriedStart, Told {
  /** The checkpoint that failed; null: none did, and all of the log is kept. */
  at: Position | null;
}

/** Temporal's names for the ends that a run can be tried again from. */
const retried = ['FAILED', 'TIMED_OUT', 'TERMINATED'];

/**
 * Reads a run that has failed, for one under the same id that tries again what failed. All that succeeded is kept, also beside it, and in the
 * child runs that have failed or ended with it. Nothing is started.
 * @throws TactusError run_not_found; usage where the run goes on, has completed or was cancelled; non_determinism where the source
 *   doesn't fit; change_refused where a call that may be done once only would be done again; what the run failed with where it
 *   would only fail again; payload_too_large
 */
export async function readRetry(run: TactusRun, { source, ...consent }: RetryOptions = {}): Promise<Retry> {
  const description = await describeRun(run);
  const { status } = description;
  if (!retried.includes(status.name))
    throw new TactusError(
      'usage',
      `${run.runId} ${endOf(status.name)}: only a run that has failed is tried again. To go another way from a checkpoint on, use tactus-temporal fork ${shellWord(run.runId)} --at POSITION`,
    );
  const retry = await planRetry(run, description, { source });
  assertConsent(retry, consent);
  return retry;
}

/** Plans it for a run that has ended in whatever way. @throws TactusError as `goOnFrom` */
async function planRetry(
  run: TactusRun,
  description: WorkflowExecutionDescription,
  way: Pick<Way, 'source' | 'isWithParent'>,
): Promise<Retry> {
  const failed = run.inExecution(description.runId);
  const log = await logOf(failed);
  const { at, kept } = failureIn(log);
  const start = await startOfRun(run.handle.client, run.runId);
  const again = { ...way, firstExecutionId: firstExecutionOf(description, start) };
  const retry = { ...(await planAgain(failed, { log, kept }, again)), at };
  if (at !== null) {
    if (retry.plan.diverges === null) return retry;
    // The source may have changed inside of what failed: then all of that is asked for again, or of what failed with it.
    for (const { position, outcome } of log) {
      if (outcome.ok || !isWithin(at, position)) continue;
      const from = await planAgainFrom(failed, log, again, position);
      if (from.plan.diverges === null) return { ...from, at };
    }
    return retry;
  }
  const last = kept.at(-1);
  const told = last === undefined ? [] : failuresToldBy(last);
  if (retry.plan.fails === null || last === undefined || told.length === 0) return retry;
  // It has failed by a child run that it was told of, and that may go on itself, or has done so.
  const withChild = await planAgainFrom(failed, log, again, last.position);
  const { children, diverges, fails } = withChild.plan;
  const goOn = children.filter(({ becomes }) => becomes === 'adopted' || becomes === 'started_anew');
  const isOther = goOn.some(({ run_id: id }) => told.includes(id));
  return isOther && diverges === null && fails === null ? { ...withChild, at: last.position } : retry;
}

/** How a child run goes on with the run that waits for it. */
export function childAgain(source: ProcedureSource | undefined): TryAgain {
  return async (child, description, mayBeAnew) => {
    const own = await startOfRun(child.handle.client, child.runId);
    const entry = own?.source?.entry;
    const ownSource = entry === undefined ? undefined : source && { ...source, entry };
    const way = { source: ownSource, isWithParent: true };
    try {
      const { plan, ...carried } = await planRetry(child, description, way);
      if (plan.fails !== null) return null;
      if (plan.diverges === null) return { carried, plan, isAnew: false };
    } catch (error) {
      if (!hasCode(error, 'payload_too_large')) throw error;
    }
    if (!mayBeAnew) return null;
    const failed = child.inExecution(description.runId);
    const again = { ...way, firstExecutionId: firstExecutionOf(description, own) };
    const { entries: log } = await readCheckpoints(failed);
    const { plan, ...carried } = await planAgain(failed, { log, kept: [] }, again);
    return plan.fails === null ? { carried, plan, isAnew: true } : null;
  };
}

function endOf(status: string): string {
  const ends: Record<string, string> = { COMPLETED: 'has completed', CANCELLED: 'was cancelled' };
  return ends[status] ?? 'goes on';
}

/**
 * Reads a run that has failed, for one under the same id that goes on with it: what failed is done anew, and nothing that was recorded before.
 * Where a function of the procedure failed, and no checkpoint, all is kept: another source gets past it. Nothing is started.
 * @throws TactusError run_not_found; non_determinism where the source doesn't fit; payload_too_large
 */
export async function readAgain(run: TactusRun, again: Again): Promise<OnceMore> {
  const log = await logOf(run);
  const { at, kept } = failureIn(log);
  const planned = await (at === null
    ? planAgain(run, { log, kept }, again)
    : planAgainFrom(run, log, again, at));
  assertConsent(planned, { mayRepeat: true });
  return planned;
}

/** How a run that has failed goes on. */
type Again = Pick<Way, 'source' | 'isWithParent'> & {
  firstExecutionId: string;
  /** Time that the new one may take; left out: no limit. */
  timeout?: string | undefined;
};

/** What it is started with. */
type OnceMore = CarriedStart & Told;

/**
 * Reads a run that has failed, for one under the same id that goes on with this part of its log. Nothing is started.
 * @throws TactusError as `goOnFrom`; non_determinism where the source doesn't fit
 */
export async function onceMore(run: TactusRun, parts: LogParts, again: Again): Promise<OnceMore> {
  const planned = await planAgain(run, parts, again);
  assertConsent(planned, { mayRepeat: true });
  return planned;
}

/** The same from this checkpoint on, whatever the plan says. */
function planAgainFrom(run: TactusRun, log: Checkpoint[], again: Again, at: Position): Promise<OnceMore> {
  const kept = fork(log, at) ?? log;
  return planAgain(run, { log, kept }, { ...again, before: beganAt(log, at) });
}

async function planAgain(
  run: TactusRun,
  parts: LogParts,
  { firstExecutionId, timeout, ...way }: Again & Pick<Way, 'before'>,
): Promise<OnceMore> {
  const { runId } = run;
  const children = await ChildrenBefore.of(run, parts, null, childAgain(way.source));
  const summary = `${runId}, once more`;
  const { at, failed, isUndone } = failureIn(parts.log);
  const gone = await goOnFrom(run, parts, { ...way, runId, summary, open: children.waitedFor, failed });
  const { planned, carry: adopted, started } = children.settle(gone, { isTakenOver: true });
  const change = {
    kind: 'retry',
    ...defined({ position: at ?? undefined, anew: isUndone || undefined }),
  } as const;
  const changes = await changesWith(run, planned, change);
  // A call that is made anew has the key that it had.
  const { cancelledChildren: _, ...carry } = adopted;
  const carried = carriedFrom(planned, { ...carry, changes, firstExecutionId });
  return {
    ...carried,
    again: {},
    children: started,
    ...defined({ timeout }),
    ...told(planned),
  };
}
