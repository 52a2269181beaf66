import { hostname } from 'node:os';
import type { Client, WorkflowClient } from '@temporalio/client';
import { isRunning } from '../runs/is-running.js';

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
