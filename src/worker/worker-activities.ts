import { getClient } from '@temporalio/activity';
import { createActivities, toolHosts, type ActivityDeps, type ToolHost } from '../activities/index.js';
import { lookAtRun } from '../client/look-at-run.js';
import { TactusClient } from '../client/tactus-client.js';
import type { TactusActivities } from '../contract/activities.js';

/** The activities of one worker, which look at other runs with the worker's own connection. */
export function workerActivities(
  deps: ActivityDeps,
  hosts: readonly ToolHost[] = toolHosts(deps),
): TactusActivities {
  return createActivities(deps, (id, brief) => lookAtRun(new TactusClient(getClient()), id, brief), hosts);
}
