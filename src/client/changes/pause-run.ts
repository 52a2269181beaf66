import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { readPause, type PauseRequest } from '../../contract/changes/pause.js';
import type { PauseAnswer } from '../../contract/changes/pause-answer.js';
import { TactusError } from '../../contract/errors.js';
import { updateNames } from '../../contract/names.js';
import { retryWhileBusy } from '../runs/messages.js';
import { toRunFailure } from '../runs/run-errors.js';

/**
 * Pauses a run, and gives what it lets end. One that is paused stays as it is.
 * @throws TactusError usage; run_not_found, also where it has ended; change_refused where it began on a version that can't be paused
 */
export function pauseRun(handle: WorkflowHandle, request: PauseRequest): Promise<PauseAnswer> {
  const read = readPause(request);
  if (typeof read === 'string') throw new TactusError('usage', `A run is not paused: ${read}`);
  return update(handle, () =>
    handle.executeUpdate<PauseAnswer, [PauseRequest]>(updateNames.pause, { args: [read] }),
  );
}

/**
 * Lets a paused run go on. One that isn't paused stays as it is.
 * @throws TactusError run_not_found, also where it has ended; change_refused
 */
export function unpauseRun(handle: WorkflowHandle): Promise<PauseAnswer> {
  return update(handle, () => handle.executeUpdate<PauseAnswer, []>(updateNames.unpause));
}

async function update(handle: WorkflowHandle, send: () => Promise<PauseAnswer>): Promise<PauseAnswer> {
  let answer: PauseAnswer;
  try {
    answer = await retryWhileBusy(send);
  } catch (error) {
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
    if (cause instanceof ApplicationFailure) throw new TactusError('change_refused', cause.message);
    throw toRunFailure(error, handle.workflowId);
  }
  if (answer.status === 'ended')
    throw new TactusError('run_not_found', `The run ${handle.workflowId} has ended`);
  return answer;
}
