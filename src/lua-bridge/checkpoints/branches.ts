import type { Budget } from '../../contract/budgets/budget.js';
import type { JsonValue } from '../../contract/json/json.js';
import { within } from '../budgets/run-budgets.js';
import {
  cleanups,
  currentFrame,
  hasOpenWithin,
  restoreWithin,
  type Branch,
  type Bridge,
  type Fork,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { heldBack } from './attempted.js';
import { checkpointed } from './checkpointed.js';
import { cleanUpWithin, hasGivenUp } from './compensating.js';

export interface BranchOptions {
  concurrency: number;
  /** What is kept for each branch, such as its conversation, is its own. */
  isApart: boolean;
  /** Their models are asked in batches. */
  isBatched?: boolean;
  /** What each branch may use; left out: what is left to all. */
  budget?: Budget | null;
  /** What the log calls them; left out: `parallel`. */
  name?: string;
  /** Asked when a branch has ended well: whether the others are given up. Left out: all are waited for. */
  isEnough?: () => boolean;
  /**
   * What is recorded of how they ended; left out: nothing.
   * @throws TactusError what the call fails with
   */
  ends?: () => JsonValue;
}

/**
 * Runs branches in a frame of their own, and leaves a table of their first results, in order, on the stack.
 * @returns what is recorded of how they ended
 */
export function* runBranches(
  bridge: Bridge,
  L: LuaState,
  branches: readonly Branch[],
  {
    concurrency,
    isApart,
    isBatched = false,
    budget = null,
    name = 'parallel',
    isEnough,
    ends = () => null,
  }: BranchOptions,
): Generator<Step, JsonValue, unknown> {
  const spec = {
    type: 'parallel',
    name,
    input: { branches: branches.length },
    digest: String(branches.length),
  } as const;
  return yield* checkpointed(bridge, L, spec, function* () {
    const budgetsOf = (index: number) => within(bridge, L, `branch ${index + 1}`, budget);
    yield* forked(bridge, L, {
      parallel: branches,
      // More at once than may be open would only fail on the server.
      concurrency: Math.min(concurrency, bridge.limits.openEffects),
      isApart,
      budgetsOf,
      ...(isBatched ? { isBatched } : {}),
      ...(isEnough === undefined ? {} : { isEnough }),
    });
    return ends();
  });
}

/**
 * Runs branches in the frame that is open, and leaves a table of their first results on the stack. Calls that were to leave nothing if
 * they fail, in branches that were given up, leave nothing; compensations and deferred functions of such branches have their turn.
 */
export function* forked(bridge: Bridge, L: LuaState, fork: Fork): Generator<Step, void, unknown> {
  const frame = currentFrame(L);
  const before = new Set(cleanups.of(bridge).open);
  const isLeft = (): boolean =>
    hasOpenWithin(bridge, frame.position) || hasGivenUp(bridge, frame.position, before);
  const undone = function* (): Generator<Step, void, unknown> {
    // Behind the branches.
    frame.next = Math.max(frame.next, fork.parallel.length);
    yield* cleanUpWithin(bridge, L, frame.position, before);
    yield* restoreWithin(bridge, frame.position);
  };
  try {
    yield fork;
  } catch (error) {
    if (!isLeft()) throw error;
    const failed = heldBack(bridge, L, error);
    yield* undone();
    throw failed.again(L);
  }
  if (isLeft()) yield* undone();
}
