import { hostname } from 'node:os';
import { Context, getClient } from '@temporalio/activity';
import type { ServerAccess } from '../../activities/index.js';
import { hasLiveWorker } from '../../client/health/has-live-worker.js';
import { lookAtRun } from '../../client/runs/look-at-run.js';
import { readConversation } from '../../client/runs/read-conversation.js';
import { TactusClient } from '../../client/tactus-client.js';

/** What activities ask of the server, with the connection of the worker that runs them. */
export const serverAccess: ServerAccess = {
  readRun: (id, brief) => lookAtRun(new TactusClient(getClient()), id, brief),
  readConversation: (call, count) => readConversation(getClient(), call, count),
  recordDetails: async (details) => {
    const { taskToken, activityId, namespace, isLocal, workflowExecution } = Context.current().info;
    const ids = workflowExecution === undefined ? {} : { workflowId: workflowExecution.workflowId };
    await getClient().activity.heartbeat(taskToken, details, {
      serializationContext: { type: 'activity', namespace, activityId, isLocal, ...ids },
    });
  },
  isRunOpen: async () => {
    const { workflowId = '', runId } = Context.current().info.workflowExecution ?? {};
    const { status } = await getClient().workflow.getHandle(workflowId, runId).describe();
    return status.name === 'RUNNING';
  },
  hasOtherWorkers: () => {
    const client = getClient();
    return hasLiveWorker(client, Context.current().info.taskQueue, {
      kind: 'activities',
      besides: client.options.identity ?? `${process.pid}@${hostname()}`,
    });
  },
};
