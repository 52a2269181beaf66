import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import {
  maxSteeringBytes,
  readSteering,
  steerSignal,
  type Steering,
} from '../../contract/agents/steer-effect.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { eventSignal } from '../../contract/events/event-effect.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import { defaultLimits } from '../../contract/runs/limits.js';
import { signalOnce } from './messages.js';
import { toRunFailure } from './run-errors.js';

/** See `TactusRun.send`. */
export async function sendEvent(
  handle: WorkflowHandle,
  name: string,
  value: JsonValue,
  id?: string,
): Promise<void> {
  const bytes = jsonSize(value);
  if (bytes > defaultLimits.payloadBytes)
    throw new TactusError(
      'payload_too_large',
      `an event of ${bytes} bytes is larger than the ${defaultLimits.payloadBytes} that can be sent`,
    );
  try {
    if (id === undefined) await handle.signal(eventSignal, name, value);
    else await signalOnce(handle, eventSignal, [name, value], id);
  } catch (error) {
    throw toRunFailure(error, handle.workflowId);
  }
}

/** See `TactusRun.steer`. */
export async function steerRun(handle: WorkflowHandle, steering: Steering): Promise<void> {
  const read = readSteering(steering);
  if (read === null) throw new TactusError('usage', 'steer needs a message');
  const bytes = jsonSize(read);
  if (bytes > maxSteeringBytes)
    throw new TactusError(
      'payload_too_large',
      `a message of ${bytes} bytes is larger than the ${maxSteeringBytes} that can be sent to an agent`,
    );
  try {
    await handle.signal(steerSignal, read);
  } catch (error) {
    throw toRunFailure(error, handle.workflowId);
  }
}

/**
 * Asks a run to end, as Temporal does. The SDK takes no reason, which the server keeps in the run's history.
 * @throws what the server says
 */
export async function askToCancel(handle: WorkflowHandle, reason?: string): Promise<void> {
  if (reason === undefined) {
    await handle.cancel();
    return;
  }
  const { workflowService, options } = handle.client;
  await workflowService.requestCancelWorkflowExecution({
    ...{ namespace: options.namespace, identity: options.identity, requestId: randomUUID(), reason },
    workflowExecution: { workflowId: handle.workflowId },
  });
}

/** See `TactusRun.terminate`. */
export async function terminateRun(handle: WorkflowHandle, reason?: string): Promise<void> {
  try {
    await handle.terminate(reason);
  } catch (error) {
    const failure = toRunFailure(error, handle.workflowId);
    // The server's answer gets lost at times: asked again by the SDK, it says that the run has ended.
    if (!hasCode(failure, 'run_not_found') || !(await wasTerminated(handle))) throw failure;
  }
}

async function wasTerminated(handle: WorkflowHandle): Promise<boolean> {
  try {
    return (await handle.describe()).status.name === 'TERMINATED';
  } catch (error) {
    throw toRunFailure(error, handle.workflowId);
  }
}
