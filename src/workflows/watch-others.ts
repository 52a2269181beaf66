import { TactusError } from '../contract/errors.js';
import type { RunLook } from '../contract/run-look.js';
import type { RunContext } from './context.js';
import type { Follower } from './follower.js';
import { watchRuns } from './watch.js';

const firstLookAtChildrenMs = 5_000;
const firstLookAtParentMs = 60_000;

/**
 * Watches the runs whose end the server tells nobody of: children that an execution before this one has started, and
 * the run that waits for this one. Where that is gone, nobody will ever take the answers that are asked for here.
 */
export function watchOthers({ start, children, now }: RunContext, follower: Follower): void {
  const { parent, mock } = start;
  if (children.unattended.length > 0)
    watchRuns(follower, now, {
      ids: () => children.unattended,
      told: (looks) => children.looked(looks),
      firstMs: firstLookAtChildrenMs,
      brief: true,
    });
  // In a test of a Specification the server skips time, and would skip from look to look for ever.
  if (parent === undefined || mock !== undefined) return;
  watchRuns(follower, now, {
    ids: () => [parent.runId],
    told: (looks) => endWith(parent.runId, looks),
    firstMs: firstLookAtParentMs,
    brief: true,
  });
}

/** @throws TactusError cancelled where the parent has ended */
function endWith(parentId: string, [look]: readonly RunLook[]): void {
  if (look?.isClosed === true)
    throw new TactusError('cancelled', `${parentId} has ended, so nobody waits for this run any longer`);
}
