import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import proto, { type temporal } from '@temporalio/proto';
import { TactusError } from '../../contract/errors.js';
import { faultText, grpcErrorOf } from '../runs/run-errors.js';
import { toIso } from '../server/server-calls.js';

/** That a run's workflow task fails again and again: the run goes on as soon as a worker is there that can do it. */
export interface Stuck {
  /** When it first failed; ISO 8601, UTC. */
  since: string;
  /** The attempt that is under way, or due. */
  attempt: number;
  /** Temporal's word for the kind of failure, such as `workflow_worker_unhandled_failure` or `timeout`. */
  cause: string;
  message: string;
}

/** A task that no worker has finished in time: one that was killed once is nothing, and has already been replaced. */
const fewestTimeouts = 3;
const fewestFailures = 2;
/** Events that are looked at for what the task failed with. */
const pageEvents = 50;
const mostPages = 4;
const unimplemented = 12;

const { EventType, WorkflowTaskFailedCause: causes, TimeoutType } = proto.temporal.api.enums.v1;

/** What the server itself does to tasks, with nothing wrong in a worker. */
const harmless: readonly (number | null | undefined)[] = [
  causes.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  causes.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
  causes.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE,
  causes.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
  causes.WORKFLOW_TASK_FAILED_CAUSE_FAILOVER_CLOSE_COMMAND,
];

type Event = temporal.api.history.v1.IHistoryEvent;

/** Whether and on what an open run is stuck, as the server knows it; no worker is asked. */
export async function stuckOf(
  { client }: WorkflowHandle,
  { raw, workflowId, runId }: Pick<WorkflowExecutionDescription, 'raw' | 'workflowId' | 'runId'>,
): Promise<Stuck | null> {
  const task = raw.pendingWorkflowTask ?? null;
  const attempt = task?.attempt ?? 0;
  if (task === null || attempt < fewestFailures) return null;
  // Attempts after the first leave no event.
  const failures = await failuresOf(client, { workflowId, runId });
  const last = failures[0];
  if (attempt < fewestTimeouts && last?.workflowTaskFailedEventAttributes == null) return null;
  const { cause, message } = await failureOf(client, last);
  const since = toIso(failures.at(-1)?.eventTime) ?? toIso(task.originalScheduledTime) ?? '';
  return { since, attempt, cause, message };
}

/** How the tasks ended since one was last completed, the newest first. */
async function failuresOf(
  { workflowService, options }: WorkflowHandle['client'],
  execution: { workflowId: string; runId: string },
): Promise<Event[]> {
  const found: Event[] = [];
  let nextPageToken: Uint8Array | null = null;
  for (let pages = 0; pages < mostPages; pages++) {
    const page: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseResponse =
      await workflowService
        .getWorkflowExecutionHistoryReverse({
          namespace: options.namespace,
          execution,
          maximumPageSize: pageEvents,
          nextPageToken,
        })
        .catch(notThere);
    for (const event of page.history?.events ?? []) {
      if (event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED) return found;
      if (isFailure(event)) found.push(event);
    }
    nextPageToken = page.nextPageToken ?? null;
    if (nextPageToken === null || nextPageToken.length === 0) break;
  }
  return found;
}

function isFailure(event: Event): boolean {
  if (event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT) return true;
  const failed = event.workflowTaskFailedEventAttributes ?? null;
  return failed !== null && !harmless.includes(failed.cause);
}

async function failureOf(
  { options }: WorkflowHandle['client'],
  event: Event | undefined,
): Promise<{ cause: string; message: string }> {
  const failed = event?.workflowTaskFailedEventAttributes ?? null;
  if (failed !== null) {
    const error = await decodeOptionalFailureToOptionalError(options.loadedDataConverter, failed.failure);
    const cause = causes[failed.cause ?? 0] ?? 'UNSPECIFIED';
    return {
      cause: cause.replace('WORKFLOW_TASK_FAILED_CAUSE_', '').toLowerCase(),
      message: error?.message ?? '',
    };
  }
  const type = TimeoutType[event?.workflowTaskTimedOutEventAttributes?.timeoutType ?? 0] ?? '';
  const kind = type.replace('TIMEOUT_TYPE_', '').toLowerCase().replaceAll('_', ' ');
  return { cause: 'timeout', message: `no worker finished its workflow task in time (${kind})` };
}

/** The server that skips time doesn't give histories from their end. */
function notThere(
  error: unknown,
): temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseResponse {
  if (grpcErrorOf(error)?.code === unimplemented) return {};
  throw error;
}

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
