import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import proto from '@temporalio/proto';
import { toIso } from '../server/server-calls.js';
import { hasLiveWorker } from './has-live-worker.js';

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
  const error = await decodeOptionalFailureToOptionalError(options.loadedDataConverter, pending.lastFailure);
  const [details] = error instanceof ApplicationFailure ? (error.details ?? []) : [];
  const attempts = (details as { attempts?: unknown } | undefined)?.attempts;
  return {
    id: pending.activityId ?? '',
    attempt: pending.attempt ?? 0,
    attempts: typeof attempts === 'number' ? attempts : null,
    message: error?.message ?? '',
    next_at: toIso(pending.nextAttemptScheduleTime),
  };
}

/** A call that waits for a task queue of its own, such as `model_queues` names, which no worker polls. */
export interface Unserved {
  /** Of the call, in this execution of the run. */
  id: string;
  task_queue: string;
  /** Since when it waits there; ISO 8601, UTC. */
  since: string;
}

/** No worker has taken it. */
const scheduled = proto.temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED;

/** What of an open run waits for a queue that nobody serves, as the server knows it; no worker is asked. */
export async function unservedOf(
  { client }: WorkflowHandle,
  { raw, taskQueue: own }: Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>,
): Promise<Unserved[]> {
  const waiting = (raw.pendingActivities ?? []).flatMap(
    ({ activityId, state, activityOptions, scheduledTime, nextAttemptScheduleTime }): Unserved[] => {
      const queue = activityOptions?.taskQueue?.name ?? own;
      // One that is tried again later has a time for that; a run's own queue is looked after elsewhere.
      if (state !== scheduled || nextAttemptScheduleTime != null || queue === own) return [];
      return [{ id: activityId ?? '', task_queue: queue, since: toIso(scheduledTime) ?? '' }];
    },
  );
  const queues = [...new Set(waiting.map(({ task_queue: queue }) => queue))];
  const served = await Promise.all(
    queues.map((queue) => hasLiveWorker(client, queue, { kind: 'activities' })),
  );
  return waiting.filter(({ task_queue: queue }) => served[queues.indexOf(queue)] === false);
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
