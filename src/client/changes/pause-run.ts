import type { WorkflowHandle } from '@temporalio/client';
import { readPause, type PauseRequest } from '../../contract/changes/pause.js';
import type { PauseAnswer } from '../../contract/changes/pause-answer.js';
import { TactusError } from '../../contract/errors.js';
import { updateNames } from '../../contract/names.js';
import { sendUpdate } from '../runs/messages.js';

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

async function update(
  { workflowId }: WorkflowHandle,
  send: () => Promise<PauseAnswer>,
): Promise<PauseAnswer> {
  const sent = await sendUpdate(workflowId, send);
  if ('refusal' in sent) throw new TactusError('change_refused', sent.refusal);
  if (sent.answer.status === 'ended')
    throw new TactusError('run_not_found', `The run ${workflowId} has ended`);
  return sent.answer;
}
