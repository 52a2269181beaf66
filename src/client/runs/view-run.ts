import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { hasCode, TactusError, type RunError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { searchAttributeNames, workflowType } from '../../contract/names.js';
import { runStatuses, type LastAnswers, type RunStatus, type RunView } from '../../contract/runs/run-view.js';
import { unservedOf, type Unserved } from '../health/pollers.js';
import { retryingOf, stuckOf, type Retrying, type Stuck } from '../health/trouble.js';
import type { TactusRun } from '../tactus-run.js';
import { grpcErrorOf, isUnanswered, toRunFailure } from './run-errors.js';
import type { StartInput } from '../../contract/runs/start-input.js';

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

/** A run as commands show it: what it tells of itself, and what the server alone knows. */
export interface RunReport extends RunView {
  stuck: Stuck | null;
  /** Calls that have failed and are tried again. */
  retrying: Retrying[];
  /** Calls that wait for a task queue that nobody serves; left out where there are none. */
  unserved?: Unserved[];
  /** What can't be had of the run, and why; left out where all is there. */
  incomplete?: string;
}

/** How a run is asked. */
export interface Asking {
  /** Through a worker; of an open run no answer would be an error. */
  ask: <T>(question: () => Promise<T>, isOpen: boolean) => Promise<T>;
  /** Of the server alone. */
  look: <T>(question: () => Promise<T>) => Promise<T>;
  /** What an execution that has ended answered last, where that is kept; left out, or null: a worker is asked. */
  last?: (runId: string, execution: string) => Promise<LastAnswers | null>;
}

/** Each question takes as long as it takes. */
export const unbounded: Asking = { ask: (question) => question(), look: (question) => question() };

/**
 * A run as it stands. The server knows of every end, a run itself only of those that it had a hand in: one that was
 * terminated would else still wait for its person. How a run ended is read from what the server recorded, so that no
 * worker is needed for it; a run whose workflow task fails again and again isn't asked at all, as nobody could answer.
 * @throws TactusError run_not_found; of an open run also why it doesn't answer
 */
export async function viewRun(run: TactusRun, asking: Asking = unbounded): Promise<RunReport> {
  const { ask } = asking;
  const known = await knownReport(run, asking);
  if ('run_id' in known) return known;
  try {
    const view = await ask(() => run.status(), true);
    const pending = view.pending_whole === false ? await ask(() => run.pending(), true) : view.pending;
    return { ...view, stuck: null, ...known, pending };
  } catch (error) {
    // It may have ended, or failed, while it was asked.
    const hasAnswer = !hasCode(error, 'no_worker');
    const later = await knownReport(
      run,
      hasAnswer ? asking : { ...asking, ask: () => Promise.reject(error) },
    );
    if (!('run_id' in later)) throw error;
    return later;
  }
}

/** What needs no answer of a worker: the whole report, unless it is of an open run that isn't stuck. */
async function knownReport(
  run: TactusRun,
  asking: Asking,
): Promise<RunReport | Pick<RunReport, 'retrying' | 'unserved'>> {
  const description = await asking.look(() => describeRun(run));
  const end = endOf(description.status.name);
  if (end !== null) return closedReport(run, description, end, asking);
  const stuck = await asking.look(() => stuckOf(run.handle, description));
  const retrying = await retryingOf(run.handle, description);
  const unserved = await unservedOf(run.handle, description);
  const waiting = unserved.length === 0 ? { retrying } : { retrying, unserved };
  if (stuck === null) return waiting;
  const incomplete = `${askedParts} can't be had while the run is stuck`;
  return { ...(await emptyView(run.runId, description)), stuck, ...waiting, incomplete };
}

const askedParts = 'state, pending, checkpoints, usage, printed and logs';

async function closedReport(
  run: TactusRun,
  description: WorkflowExecutionDescription,
  end: RunStatus,
  { ask, look, last }: Asking,
): Promise<RunReport> {
  const answers = await last?.(run.runId, description.runId);
  const [ended, told] = await Promise.all([
    look(() => endedWith(run)),
    answers?.status ?? ask(() => run.status(), false).catch((error: unknown) => missing(error)),
  ]);
  const view = 'missing' in told ? await emptyView(run.runId, description) : told;
  const reason = ended.unread ?? ('missing' in told ? told.missing : null);
  return {
    ...view,
    status: end,
    output: end === 'completed' ? ended.output : null,
    error: ended.error,
    pending: [],
    waits: [],
    children: [],
    // Not the run's own clock, which stands still while it computes.
    closed_at: description.closeTime?.toISOString() ?? view.closed_at,
    stuck: null,
    retrying: [],
    ...(reason === null ? {} : { incomplete: reason }),
  };
}

/** Why a closed run doesn't tell of itself; null where it never had anything to tell. */
function missing(error: unknown): { missing: string | null } {
  const message = error instanceof Error ? error.message : String(error);
  const details = grpcErrorOf(error)?.details ?? message;
  // The server's word on a run that closed before any worker saw it.
  if (details.includes('closed before WorkflowTaskStarted')) return { missing: null };
  // The SDK's word on one that was given nothing that it could begin with: why, its error says.
  if (details.includes('did not register a handler')) return { missing: null };
  return { missing: `${askedParts} can't be had: ${details}` };
}

/** @throws TactusError run_not_found, for workflows of others too */
export async function describeRun(run: TactusRun): Promise<WorkflowExecutionDescription> {
  try {
    const description = await run.handle.describe();
    if (description.type === workflowType) return description;
  } catch (error) {
    throw toRunFailure(error, run.runId);
  }
  throw new TactusError('run_not_found', `${run.runId} is a workflow, but not a run of a procedure`);
}

const notFound = 5;

/**
 * Whether a run is open, as the server says it itself: also of a run that no codec here can read.
 * @throws TactusError run_not_found, for workflows of others too
 */
export async function isOpenRun({ handle, runId }: TactusRun): Promise<boolean> {
  const { workflowService, options } = handle.client;
  const asked = { namespace: options.namespace, execution: { workflowId: runId } };
  const raw = await workflowService.describeWorkflowExecution(asked).catch((error: unknown) => {
    if (grpcErrorOf(error)?.code !== notFound) throw error;
    throw new TactusError('run_not_found', `There is no run ${runId}`);
  });
  const { type, closeTime } = raw.workflowExecutionInfo ?? {};
  if (type?.name === workflowType) return closeTime == null;
  throw new TactusError('run_not_found', `${runId} is a workflow, but not a run of a procedure`);
}

/**
 * The first execution of a run: by it, another run of the same id is told apart.
 * @param start of the run, where one that goes on with another's log keeps that one's
 */
export function firstExecutionOf(
  { raw, runId }: Pick<WorkflowExecutionDescription, 'raw' | 'runId'>,
  start: StartInput | null = null,
): string {
  const first = raw.workflowExecutionInfo?.firstRunId ?? '';
  return start?.carry?.firstExecutionId ?? (first === '' ? runId : first);
}

/** Id of the run that has started this one, as the server or the run's memo has it; null: none has. */
export function parentOf({
  parentExecution,
  memo,
}: Pick<WorkflowExecutionDescription, 'parentExecution' | 'memo'>): string | null {
  if (parentExecution !== undefined) return parentExecution.workflowId;
  const named = memo?.['parent'];
  return typeof named === 'string' ? named : null;
}

interface Ended {
  output: JsonValue;
  error: RunError | null;
  /** Why its recorded outcome can't be read. */
  unread: string | null;
}

/** The outcome that the server recorded. */
async function endedWith(run: TactusRun): Promise<Ended> {
  try {
    return { output: await run.result(), error: null, unread: null };
  } catch (error) {
    if (error instanceof TactusError) return { output: null, error: error.toRunError(), unread: null };
    // The server's own errors pass: it may answer yet.
    if (grpcErrorOf(error) !== null) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { output: null, error: null, unread: `its outcome can't be read: ${reason}` };
  }
}

/** What the run last told the server, where the namespace has our search attributes. */
function toldStatus({ searchAttributes }: WorkflowExecutionDescription): RunStatus {
  const told = searchAttributes?.[searchAttributeNames.status]?.[0];
  return runStatuses.find((status) => status === told) ?? 'running';
}

async function emptyView(runId: string, description: WorkflowExecutionDescription): Promise<RunView> {
  return {
    run_id: runId,
    procedure: (await description.staticSummary()) ?? '',
    status: toldStatus(description),
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

/** How runs are asked where nobody waits longer than so many ms for each answer. @throws TactusError no_worker */
export function askingWithin(client: Client, answerMs: number): Asking {
  const bounded = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await client.withDeadline(Date.now() + answerMs, question);
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      throw new TactusError('no_worker', `No worker has answered within ${answerMs / 1_000} s`);
    }
  };
  return { ask: bounded, look: bounded };
}
