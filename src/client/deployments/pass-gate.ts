import { WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { GateOrder, GateReport } from '../../contract/deployments/gate.js';
import { TactusError } from '../../contract/errors.js';
import { gateType } from '../../contract/names.js';
import { stuckOf } from '../health/trouble.js';

/** Temporal's Worker Controller gives its gate as long. */
const mostTime = '1h';
const lookEveryMs = 2_000;

export interface GatedQueue {
  deployment: string;
  build_id: string;
  task_queue: string;
}

/**
 * Has a version look at itself: it replays histories of the task queue. Runs that go on are given to it only after that.
 * @throws TactusError build_refused where a history doesn't lead the same way, or the version can't run the gate
 */
export async function passGate(
  client: Client,
  { deployment, build_id: buildId, task_queue: taskQueue }: GatedQueue,
  { order, signal }: { order: GateOrder; signal: AbortSignal },
): Promise<GateReport> {
  const handle = await client.workflow.start(gateType, {
    ...{ taskQueue, args: [order], workflowExecutionTimeout: mostTime },
    workflowId: `tactus-gate/${deployment}/${buildId}/${taskQueue}`,
    workflowIdConflictPolicy: 'USE_EXISTING',
    versioningOverride: { pinnedTo: { deploymentName: deployment, buildId } },
  });
  const ended = new AbortController();
  let unable: TactusError | null = null;
  const looked = (async (): Promise<never> => {
    for (;;) {
      await delay(lookEveryMs, undefined, { signal: AbortSignal.any([signal, ended.signal]) });
      const stuck = await stuckOf(handle, await handle.describe());
      if (stuck === null) continue;
      unable = refused(`Its worker can't run the gate: ${stuck.message}`);
      await handle.terminate(unable.message);
      throw unable;
    }
  })();
  try {
    return await Promise.race([handle.result() as Promise<GateReport>, looked]);
  } catch (error) {
    throw unable ?? toRefusal(error);
  } finally {
    ended.abort();
    looked.catch(() => undefined);
  }
}

function toRefusal(error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError)) return error;
  const { cause } = error;
  // What failed in the worker is told by the activity; its failure stands around it.
  const told = cause?.cause instanceof ApplicationFailure ? cause.cause : cause;
  return refused(told?.message ?? error.message);
}

function refused(message: string): TactusError {
  return new TactusError('build_refused', message);
}
