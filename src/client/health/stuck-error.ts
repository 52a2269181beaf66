import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import { faultText } from '../server/fault-text.js';
import { stuckOf, type Stuck } from './stuck.js';

/** A stuck run as an error of whoever needs its answer. */
export function stuckError(runId: string, stuck: Stuck): TactusError {
  const message = `The run ${runId} doesn't answer: it is stuck ${stuckText(stuck)}`;
  return new TactusError('run_stuck', message, { run_id: runId, stuck: { ...stuck } });
}

/** That, since when and on what a run is stuck, and what to do. */
export function stuckText({ since, attempt, cause, message }: Stuck): string {
  const what = message === '' ? cause : faultText(message);
  const remedy =
    cause === 'timeout'
      ? 'Workers may be too slow or too busy to replay it in that time, or stop before. It goes on by itself as soon as one is done in time: ' +
        'add workers, or give them more CPU'
      : 'It goes on by itself as soon as a worker without the fault is there';
  return `since ${since}, on attempt ${attempt}: ${what}. ${remedy}`;
}

/** @throws TactusError run_stuck */
export async function refuseStuck(
  run: { runId: string; handle: WorkflowHandle },
  description: WorkflowExecutionDescription,
): Promise<void> {
  if (description.closeTime !== undefined) return;
  const stuck = await stuckOf(run.handle, description);
  if (stuck !== null) throw stuckError(run.runId, stuck);
}
