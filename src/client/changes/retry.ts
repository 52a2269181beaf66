import type { Client } from '@temporalio/client';
import { isWithin, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { shellWord } from '../../contract/text/shell-word.js';
import { withoutFailure } from '../../log/requeue.js';
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
import { ChildrenBefore } from './children-before.js';
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
 * Reads a run that has failed, for one under the same id that tries again what failed. All that succeeded is kept, also beside it.
 * Nothing is started.
 * @throws TactusError run_not_found; usage where the run goes on, has completed or was cancelled; non_determinism where the source
 *   doesn't fit; change_refused where a call that may be done once only would be done again; what the run failed with where it
 *   would only fail again; payload_too_large
 */
export async function readRetry(
  client: Client,
  run: TactusRun,
  { source, ...consent }: RetryOptions = {},
): Promise<Retry> {
  const description = await describeRun(run);
  const { status, runId: execution } = description;
  if (!retried.includes(status.name))
    throw new TactusError(
      'usage',
      `${run.runId} ${endOf(status.name)}: only a run that has failed is tried again. To go another way from a checkpoint on, use tactus-temporal fork ${shellWord(run.runId)} --at POSITION`,
    );
  const failed = run.inExecution(execution);
  const log = await logOf(failed);
  const at = failedAt(log);
  const start = await startOfRun(client, run.runId);
  const firstExecutionId = firstExecutionOf(description, start);
  const again = { source, firstExecutionId, consent };
  if (at !== null) {
    const ways = [
      () => onceMore(failed, { log, kept: withoutFailure(log, at) }, again),
      // The source may have changed inside of what failed: then all of that is asked for again, or of what failed with it.
      ...log
        .filter(({ position, outcome }) => !outcome.ok && isWithin(at, position))
        .map((each) => () => againFrom(failed, log, again, each.position)),
    ];
    for (const way of ways)
      try {
        const retry = await way();
        if (retry.plan.diverges === null) return { ...retry, at };
      } catch (error) {
        if (!hasCode(error, 'non_determinism')) throw error;
      }
  }
  return { ...(await againFrom(failed, log, again, at)), at };
}

function endOf(status: string): string {
  const ends: Record<string, string> = { COMPLETED: 'has completed', CANCELLED: 'was cancelled' };
  return ends[status] ?? 'goes on';
}

/**
 * Reads a run that has failed, for one under the same id that goes on with it: what failed is done anew, and nothing that was recorded before.
 * Where a function of the procedure failed, and no checkpoint, all is kept: another source gets past it. Nothing is started.
 * @param timeout time that the new one may take; left out: no limit
 * @throws TactusError run_not_found; non_determinism where the source doesn't fit; payload_too_large
 */
export async function readAgain(run: TactusRun, again: Again): Promise<OnceMore> {
  const log = await logOf(run);
  return againFrom(run, log, again, failedAt(log));
}

/** The same with a log that has been read, from this checkpoint on; null: all is kept. */
function againFrom(run: TactusRun, log: Checkpoint[], again: Again, at: Position | null): Promise<OnceMore> {
  const kept = at === null ? null : fork(log, at);
  const until = at === null ? {} : { before: beganAt(log, at) };
  return onceMore(run, { log, kept: kept ?? log }, { ...again, ...until });
}

/** How a run that has failed goes on. */
type Again = Pick<Way, 'source'> & {
  /** What its plan may bring; left out: whatever fits. */
  consent?: Consent;
  firstExecutionId: string;
  timeout?: string | undefined;
};

/** What it is started with. */
type OnceMore = CarriedStart & Told;

/**
 * Reads a run that has failed, for one under the same id that goes on with this part of its log. Nothing is started.
 * @param timeout time that the new one may take; left out: no limit
 * @throws TactusError as `goOnFrom`
 */
export async function onceMore(
  run: TactusRun,
  parts: LogParts,
  { source, firstExecutionId, timeout, consent = { mayRepeat: true }, ...until }: Again & Pick<Way, 'before'>,
): Promise<OnceMore> {
  const { runId } = run;
  const way = { source, runId, summary: `${runId}, once more`, ...until };
  const children = await ChildrenBefore.of(run, parts, null);
  const gone = await goOnFrom(run, parts, { ...way, open: children.waitedFor });
  const { planned, carry: adopted } = children.settle(gone, { isTakenOver: true });
  assertConsent(planned, consent);
  const change = { kind: 'retry', ...defined({ position: failedAt(parts.log) ?? undefined }) } as const;
  const changes = await changesWith(run, planned, change);
  // A call that is made anew has the key that it had.
  const { cancelledChildren: _, ...carry } = adopted;
  const carried = carriedFrom(planned, { ...carry, changes, firstExecutionId });
  return { ...carried, again: {}, ...defined({ timeout }), ...told(planned) };
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
