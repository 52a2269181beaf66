import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import proto from '@temporalio/proto';
import { TactusError, type CommonDetails } from '../../contract/errors.js';
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
const mostHistoryPages = 4;
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
  for (let pages = 0; pages < mostHistoryPages; pages++) {
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
    const error = await readFailure(options, failed.failure);
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

type Options = WorkflowHandle['client']['options'];
type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** What a failure says; where a codec has no key for it, what the codec says. */
function readFailure(
  { loadedDataConverter: converter }: Options,
  failure: Failure,
): Promise<Error | undefined> {
  return decodeOptionalFailureToOptionalError(converter, failure).catch((error: unknown) => error as Error);
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

/** A call of a run that has failed and is tried again: of a model, a prediction, a request. */
export interface Retrying {
  /** Of the call, in this execution of the run. */
  id: string;
  /** The attempt that is next, or under way. */
  attempt: number;
  /** How many there are in all where it fails like that; null where the worker didn't say. */
  attempts: number | null;
  /** What the attempt before it failed with. */
  message: string;
  /** When it is due; ISO 8601, UTC. null: it is under way. */
  next_at: string | null;
}

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

/** What of an open run is being tried again, as the server knows it; no worker is asked. */
export async function retryingOf(
  { client }: WorkflowHandle,
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
): Promise<Retrying[]> {
  const failed = (raw.pendingActivities ?? []).filter(
    ({ attempt, lastFailure }) => Number(attempt) > 1 && lastFailure != null,
  );
  return Promise.all(failed.map((pending) => retrying(client, pending)));
}

async function retrying({ options }: WorkflowHandle['client'], pending: Pending): Promise<Retrying> {
  const error = await readFailure(options, pending.lastFailure);
  const [details] = error instanceof ApplicationFailure ? (error.details ?? []) : [];
  const attempts = (details as CommonDetails | undefined)?.attempts;
  return {
    id: pending.activityId ?? '',
    attempt: pending.attempt ?? 0,
    attempts: typeof attempts === 'number' ? attempts : null,
    message: error?.message ?? '',
    next_at: toIso(pending.nextAttemptScheduleTime),
  };
}

/** How a call of a run ended, and by which attempt. */
export interface EndedCall {
  outcome: 'completed' | 'failed' | 'cancelled';
  attempt: number;
}

const mostPages = 5;
const pageSize = 200;

/** Looks in the newest events of a run; null where the call hasn't ended, or nothing is found of it there. */
export async function howCallEnded(
  { workflowService, options: { namespace } }: Client,
  workflowId: string,
  activityId: string,
): Promise<EndedCall | null> {
  const outcomes = new Map<string, EndedCall['outcome']>();
  const attempts = new Map<string, number>();
  let nextPageToken: Uint8Array | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await workflowService.getWorkflowExecutionHistoryReverse({
      ...{ namespace, execution: { workflowId }, maximumPageSize: pageSize },
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    for (const event of answer.history?.events ?? []) {
      const completed = event.activityTaskCompletedEventAttributes;
      const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
      const cancelled = event.activityTaskCanceledEventAttributes;
      const started = event.activityTaskStartedEventAttributes;
      if (completed) outcomes.set(String(completed.scheduledEventId), 'completed');
      if (failed) outcomes.set(String(failed.scheduledEventId), 'failed');
      if (cancelled) outcomes.set(String(cancelled.scheduledEventId), 'cancelled');
      if (started) attempts.set(String(started.scheduledEventId), started.attempt ?? 1);
      if (event.activityTaskScheduledEventAttributes?.activityId !== activityId) continue;
      const outcome = outcomes.get(String(event.eventId));
      return outcome === undefined ? null : { outcome, attempt: attempts.get(String(event.eventId)) ?? 1 };
    }
    nextPageToken = answer.nextPageToken ?? undefined;
    if (nextPageToken === undefined || nextPageToken.length === 0) return null;
  }
  return null;
}
