import {
  createActivities,
  createModelHost,
  toolHosts,
  type ActivityDeps,
  type ModelHost,
  type ToolHost,
} from '../activities/index.js';
import { assertLinks } from '../contract/people/channels/channel.js';
import type { TactusActivities } from '../contract/activities.js';
import { checkEgressPolicy } from '../egress/egress-fetch.js';
import { serverAccess } from './runs/server-access.js';

/**
 * The activities of one worker, which ask the server by the worker's own connection.
 * @throws TactusError config_invalid where its channels have links, and it has no key for them, or its egress policy has a rule that is none
 */
export function workerActivities(
  deps: ActivityDeps,
  hosts: readonly ToolHost[] = toolHosts(deps),
  models: ModelHost = createModelHost(),
): TactusActivities {
  assertLinks(deps, deps.links !== undefined);
  checkEgressPolicy(deps.egressPolicy);
  return createActivities(deps, serverAccess, hosts, models);
}
