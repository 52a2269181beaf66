import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { hasLiveWorker } from './has-live-worker.js';
import { toIso } from '../server/to-iso.js';

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
