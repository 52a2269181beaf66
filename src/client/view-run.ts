import type { WorkflowExecutionDescription } from '@temporalio/client';
import { TactusError, type RunError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { workflowType } from '../contract/names.js';
import type { RunView } from '../contract/run-view.js';
import type { RunStatus } from '../contract/status.js';
import { grpcErrorOf } from './grpc-error.js';
import { toTactusError, type TactusRun } from './tactus-client.js';

/** How the server calls the ends of runs. */
const ends: Partial<Record<string, RunStatus>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

/** The status of a run that has closed; null of an open one. */
export function endOf(status: string): RunStatus | null {
  return ends[status] ?? null;
}

/**
 * A run as it stands. The server knows of every end, a run itself only of those that it had a hand in: one that was
 * terminated would else still wait for its person.
 * @throws TactusError run_not_found
 */
export async function viewRun(run: TactusRun): Promise<RunView> {
  const asked = await describeRun(run);
  const view = await run.status().catch((error: unknown) => {
    if (!isNeverSeen(error)) throw error;
    return null;
  });
  // It may have ended while it was asked.
  const description = view === null ? await describeRun(run) : asked;
  const end = endOf(description.status.name);
  const seen = view ?? (await emptyView(run.runId, description));
  return end === null ? seen : closedView(run, description, end, seen);
}

/** The server's word on a run that closed before any worker saw it: there is nothing more to know. */
function isNeverSeen(error: unknown): boolean {
  return grpcErrorOf(error)?.details.includes('closed before WorkflowTaskStarted') === true;
}

/** What the server alone knows of a run: how it ended; null of an open one. @throws TactusError run_not_found */
export async function knownView(run: TactusRun): Promise<RunView | null> {
  const description = await describeRun(run);
  const end = endOf(description.status.name);
  if (end === null) return null;
  return closedView(run, description, end, await emptyView(run.runId, description));
}

async function closedView(
  run: TactusRun,
  description: WorkflowExecutionDescription,
  end: RunStatus,
  view: RunView,
): Promise<RunView> {
  const ended = await endedWith(run);
  return {
    ...view,
    status: end,
    output: end === 'completed' ? ended.output : null,
    error: view.error ?? ended.error,
    pending: [],
    waits: [],
    children: [],
    // Not the run's own clock, which stands still while it computes.
    closed_at: description.closeTime?.toISOString() ?? view.closed_at,
  };
}

/** @throws TactusError run_not_found, for workflows of others too */
export async function describeRun(run: TactusRun): Promise<WorkflowExecutionDescription> {
  try {
    const description = await run.handle.describe();
    if (description.type === workflowType) return description;
  } catch (error) {
    throw toTactusError(error, run.runId);
  }
  throw new TactusError('run_not_found', `${run.runId} is a workflow, but no run of a procedure`);
}

async function endedWith(run: TactusRun): Promise<{ output: JsonValue; error: RunError | null }> {
  try {
    return { output: await run.result(), error: null };
  } catch (error) {
    if (error instanceof TactusError) return { output: null, error: error.toRunError() };
    throw error;
  }
}

async function emptyView(runId: string, description: WorkflowExecutionDescription): Promise<RunView> {
  return {
    run_id: runId,
    procedure: (await description.staticSummary()) ?? '',
    status: 'running',
    output: null,
    state: {},
    error: null,
    pending: [],
    waits: [],
    children: [],
    checkpoints: 0,
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: null },
    printed: [],
    logs: [],
    warnings: [],
    shown_from: 0,
    started_at: description.startTime.toISOString(),
    closed_at: description.closeTime?.toISOString() ?? null,
  };
}
