import { WorkflowNotFoundError, WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { encodeToPayloadsWithContext } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { busyType, aheadMessage } from '../../contract/names.js';
import type { TactusError } from '../../contract/errors.js';
import { stuckError, stuckOf } from '../health/trouble.js';
import { grpcErrorOf, replayError, toRunFailure } from './run-errors.js';

/**
 * Nothing tells that a worker died with a question, or lost one that came just as the run ended: it is asked anew after the first of these
 * times, in ms, and after the second one, as a replay may take longer.
 */
const queryMs = [2_000, 10_000];
/** What the server, and what gRPC on this side, says of a call whose time is over. */
const overTime: readonly (number | undefined)[] = [4, 1];
/** Between two attempts, in ms. */
const pauseMs = 50;

/**
 * Asks a run. A question that was lost is asked anew, at last for as long as the SDK waits for any; one that came with a workflow task
 * that begins anew is asked again until its time is over.
 */
export async function queryRun<T>(handle: WorkflowHandle, query: string, ...args: unknown[]): Promise<T> {
  const ask = (): Promise<T> => handle.query<T, unknown[]>(query, ...args);
  const last = Date.now() + Math.max(...queryMs);
  for (const ms of queryMs) {
    const end = Date.now() + ms;
    let isLost = false;
    while (!isLost)
      try {
        return await handle.client.withDeadline(end, ask);
      } catch (error) {
        isLost = overTime.includes(grpcErrorOf(error)?.code);
        if (!isLost && (!beginsAnew(error) || Date.now() >= last)) throw error;
        if (!isLost) await pause(pauseMs);
      }
  }
  return ask();
}

function beginsAnew(error: unknown): boolean {
  return error instanceof Error && error.message.includes(aheadMessage);
}

const longestMs = 30_000;
/** A run whose tasks fail again and again won't take it the next time either. */
const mostTakenBack = 5;
const failedPrecondition = 9;

/** Sends an Update until the run isn't busy with a local activity. @throws whatever else it comes to */
export async function retryWhileBusy<T>(send: () => Promise<T>): Promise<T> {
  let takenBack = 0;
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await send();
    } catch (error) {
      const mayTryAgain = wasTakenBack(error) ? ++takenBack <= mostTakenBack : isBusy(error);
      if (!mayTryAgain || waitedMs >= longestMs) throw error;
      await pause(pauseMs);
    }
  }
}

/**
 * Sends an Update to a run: what it answers, or why it refused to take it.
 * @throws TactusError run_not_found, also where the run has ended; no_worker; what else the Update comes to
 */
export async function sendUpdate<T>(
  runId: string,
  send: () => Promise<T>,
): Promise<{ answer: T } | { refusal: string }> {
  try {
    return { answer: await retryWhileBusy(send) };
  } catch (error) {
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    if (cause instanceof ApplicationFailure) return { refusal: cause.message };
    throw toRunFailure(error, runId);
  }
}

function isBusy(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
  return cause instanceof ApplicationFailure && cause.type === busyType;
}

/**
 * The server takes a workflow task back, with the Updates that it answers, when something arrived while the run was just
 * ending. Nothing of them is in history.
 */
function wasTakenBack(error: unknown): boolean {
  const found = grpcErrorOf(error);
  return found?.code === failedPrecondition && /unexpected workflow task failure/.test(found.details);
}

const notFound = 5;

/**
 * Sends a signal that is one however often it is sent under an id: the server keeps the ids that an execution has had. The
 * SDK's own signals have a new one each time.
 * @throws WorkflowNotFoundError
 */
export async function signalOnce(
  { client, workflowId }: WorkflowHandle,
  signalName: string,
  args: unknown[],
  id: string,
): Promise<void> {
  const { namespace, identity, loadedDataConverter } = client.options;
  const context = { type: 'workflow', namespace, workflowId } as const;
  try {
    await client.workflowService.signalWorkflowExecution({
      ...{ namespace, identity, signalName, workflowExecution: { workflowId } },
      requestId: createHash('sha256').update(id).digest('hex'),
      input: { payloads: (await encodeToPayloadsWithContext(loadedDataConverter, context, args)) ?? [] },
    });
  } catch (error) {
    if (grpcErrorOf(error)?.code !== notFound) throw error;
    throw new WorkflowNotFoundError('there is no such run, or it has ended', workflowId, undefined);
  }
}

/** Why a run doesn't answer although a worker is there, in words of ours; null where it is something else. */
export async function whyUnanswered(handle: WorkflowHandle, error: unknown): Promise<TactusError | null> {
  const { workflowId: runId } = handle;
  if (grpcErrorOf(error) === null) return replayError(error, runId);
  // No other word of the server's tells it for sure: at first, questions to a stuck run are just not answered.
  const stuck = await handle.describe().then(
    (description) => stuckOf(handle, description),
    () => null,
  );
  return stuck === null ? null : stuckError(runId, stuck);
}
