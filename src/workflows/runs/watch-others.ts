import { patched, workflowInfo } from '@temporalio/workflow';
import type { Holds } from '../../contract/engine.js';
import { TactusError } from '../../contract/errors.js';
import type { RunLook } from '../../contract/runs/child-run.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import type { RunContext } from '../effects/effect-kind.js';
import { lastingFollower } from '../sequence.js';
import { lookAt, watchRuns } from './watch.js';

const firstLookAtChildrenMs = 5_000;
const firstLookAtParentMs = 60_000;

/**
 * Whether a child that has closed, and of which nothing was heard, is asked how it ended: by a run that somebody has started with a log, on
 * every engine. Such a run wasn't there when the child reported.
 */
export function asksForLostReports({ carry }: StartInput, holds: Holds): boolean {
  if (holds('lost-reports')) return true;
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  const waits = carry !== undefined && carry.children.length > 0;
  return waits && !isContinued && patched('lost-reports');
}

/**
 * Watches the children that an execution before this one has started: the server tells this one of no end of theirs.
 * @param asksForLost as `asksForLostReports` says
 */
export function watchChildren(context: RunContext, asksForLost: boolean): void {
  const { sequence, children, watches } = context;
  if (children.unattended.length === 0) return;
  watches.underWay++;
  const follower = lastingFollower(sequence);
  watchRuns(context, follower, {
    name: 'children',
    ids: () => children.unattended,
    told: (looks) => {
      children.looked(looks);
      const lost = asksForLost ? unheardOf(children.unattended, looks) : [];
      if (lost.length > 0)
        follower.follow(
          () => lookAt(lost, false),
          (all) => children.looked(all),
          // The next look finds them again.
          () => undefined,
        );
    },
    ended: () => watches.underWay--,
    firstMs: firstLookAtChildrenMs,
    brief: true,
  });
}

/** Those that have closed, and that nothing has been heard of: a report comes before the end, unless nobody was there to take it. */
function unheardOf(unattended: readonly string[], looks: readonly RunLook[]): string[] {
  return looks.filter(({ id, isClosed }) => isClosed === true && unattended.includes(id)).map(({ id }) => id);
}

/**
 * Watches the run that waits for this one, as soon as somebody is asked here. Where it is gone, terminated say, nobody
 * will ever take the answer.
 */
export function watchParent(context: RunContext): void {
  const { sequence, watches } = context;
  const { parent, mock } = context.start;
  // In a test of a Specification the server skips time, and would skip from look to look for ever.
  if (parent === undefined || mock !== undefined || watches.has('parent')) return;
  watches.underWay++;
  watchRuns(context, lastingFollower(sequence), {
    name: 'parent',
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
