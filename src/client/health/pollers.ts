import type {
  Client,
  WorkflowClient,
  WorkflowExecutionDescription,
  WorkflowHandle,
} from '@temporalio/client';
import proto from '@temporalio/proto';
import { hostname } from 'node:os';
import { isRunning } from '../runs/is-running.js';
import { toIso } from '../server/server-calls.js';

/** A poll ends after a minute at most: who hasn't asked for longer has gone. */
const pollMs = 70_000;

/** What a worker polls for, as the server numbers it. */
const kinds = { workflows: 1, activities: 2 } as const;

/**
 * Whether a worker that lives polls the task queue. The server remembers pollers for minutes; of those on this machine
 * the process tells, which their identity names. `besides`: the identity of one that doesn't count.
 */
export async function hasLiveWorker(
  client: Client | WorkflowClient,
  taskQueue: string,
  { kind = 'workflows', besides }: { kind?: keyof typeof kinds; besides?: string } = {},
): Promise<boolean> {
  const { namespace } = client.options;
  const answer = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: kinds[kind],
  });
  return (answer.pollers ?? []).some(({ identity, lastAccessTime }) => {
    if (besides !== undefined && identity === besides) return false;
    const [, pid, host] = /^(\d+)@(.+)$/.exec(identity ?? '') ?? [];
    if (pid !== undefined && host === hostname()) return isRunning(Number(pid));
    return Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < pollMs;
  });
}

/** A call that waits for a task queue of its own, such as `model_queues` or `tool_queues` names, which no worker polls. */
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
