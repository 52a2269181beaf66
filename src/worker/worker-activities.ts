import { getClient } from '@temporalio/activity';
import { createActivities, toolHosts, type ActivityDeps, type ToolHost } from '../activities/index.js';
import { lookAtRun } from '../client/look-at-run.js';
import { readConversation } from '../client/read-conversation.js';
import { TactusClient } from '../client/tactus-client.js';
import type { TactusActivities } from '../contract/activities.js';

/** The activities of one worker, which look at other runs with the worker's own connection. */
export function workerActivities(
  deps: ActivityDeps,
  hosts: readonly ToolHost[] = toolHosts(deps),
): TactusActivities {
  const readers = {
    readRun: (id: string, brief: boolean) => lookAtRun(new TactusClient(getClient()), id, brief),
    readConversation: (call: Parameters<typeof readConversation>[1], count: number) =>
      readConversation(getClient(), call, count),
  };
  return createActivities(deps, readers, hosts);
}
