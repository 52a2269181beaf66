import { ApplicationFailure, proxyActivities, workflowInfo } from '@temporalio/workflow';
import {
  gateText,
  readGateOrder,
  type GateActivities,
  type GateReport,
} from '../../contract/deployments/gate.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';

/** A worker that died is noticed after this time, in ms. */
const heartbeatMs = 60_000;
/** A thousand long histories take so long; Temporal's Worker Controller gives the gate an hour in all. In ms. */
const mostMs = 50 * 60_000;
const mostAttempts = 3;

/**
 * Says whether a build may be given runs: its worker replays histories of the task queue's runs, and archives that it has.
 * It ends well where all lead the same way, and fails with `build_refused` where one doesn't.
 *
 * Whoever rolls a build out starts it pinned to that build's version: `rollout`, or Temporal's Worker Controller by
 * `gate.workflowType`.
 */
export async function tactusGate(given?: unknown): Promise<GateReport> {
  const { replayRuns } = proxyActivities<GateActivities>({
    startToCloseTimeout: mostMs,
    heartbeatTimeout: heartbeatMs,
    retry: { maximumAttempts: mostAttempts },
    summary: 'replays histories',
  });
  const report = await replayRuns({ ...orderOf(given), taskQueue: workflowInfo().taskQueue });
  if (report.failed === 0) return report;
  const code: ErrorCode = 'build_refused';
  throw ApplicationFailure.nonRetryable(gateText(report), code, report);
}

function orderOf(given: unknown): ReturnType<typeof readGateOrder> {
  try {
    return readGateOrder(given);
  } catch (error) {
    if (!(error instanceof TactusError)) throw error;
    throw ApplicationFailure.nonRetryable(error.message, error.code);
  }
}
