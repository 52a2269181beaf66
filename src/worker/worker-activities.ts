import { createActivities, toolHosts, type ActivityDeps, type ToolHost } from '../activities/index.js';
import type { TactusActivities } from '../contract/activities.js';
import { serverAccess } from './server-access.js';

/** The activities of one worker, which ask the server by the worker's own connection. */
export function workerActivities(
  deps: ActivityDeps,
  hosts: readonly ToolHost[] = toolHosts(deps),
): TactusActivities {
  return createActivities(deps, serverAccess, hosts);
}
