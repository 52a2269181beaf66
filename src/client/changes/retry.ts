import type { Client } from '@temporalio/client';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { shellWord } from '../../contract/text/shell-word.js';
import { withoutFailure } from '../../log/requeue.js';
import type { CarriedStart } from '../runs/carried-start.js';
import { againFrom, failedAt, logOf, onceMore, type Fork } from '../runs/read-fork.js';
import { startOfRun } from '../runs/start-input.js';
import { describeRun, firstExecutionOf } from '../runs/view-run.js';
import type { TactusRun } from '../tactus-run.js';
import type { Consent } from './change-plan.js';

export interface RetryOptions extends Consent {
  /** The procedure as it is to be from now on; left out: that of the run. */
  source?: ProcedureSource | undefined;
}

/** What a run that has failed is started with once more. */
export interface Retry extends CarriedStart, Pick<Fork, 'plan' | 'leftBehind'> {
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
  if (at !== null)
    try {
      const retry = await onceMore(failed, { log, kept: withoutFailure(log, at) }, again);
      if (retry.plan.diverges === null) return { ...retry, at };
    } catch (error) {
      // The source has changed inside of what failed: then all of that is asked for again.
      if (!hasCode(error, 'non_determinism')) throw error;
    }
  return { ...(await againFrom(failed, log, again)), at };
}

function endOf(status: string): string {
  const ends: Record<string, string> = { COMPLETED: 'has completed', CANCELLED: 'was cancelled' };
  return ends[status] ?? 'goes on';
}
