import type { Budget } from '../../contract/budgets/budget.js';
import { within } from '../budgets/run-budgets.js';
import type { Branch, Bridge, LuaState, Step } from '../kernel/index.js';
import { checkpointed } from './checkpointed.js';

export interface BranchOptions {
  concurrency: number;
  /** What is kept for each branch, such as its conversation, is its own. */
  isApart: boolean;
  /** Their models are asked in batches. */
  isBatched?: boolean;
  /** What each branch may use; left out: what is left to all. */
  budget?: Budget | null;
}

/**
 * Runs branches in a frame of their own, and leaves a table of their first results, in order, on the stack.
 */
export function* runBranches(
  bridge: Bridge,
  L: LuaState,
  branches: readonly Branch[],
  { concurrency, isApart, isBatched = false, budget = null }: BranchOptions,
): Generator<Step, void, unknown> {
  const spec = {
    type: 'parallel',
    name: 'parallel',
    input: { branches: branches.length },
    digest: String(branches.length),
  } as const;
  // More at once than may be open would only fail on the server.
  const limit = Math.min(concurrency, bridge.limits.openEffects);
  yield* checkpointed(bridge, L, spec, function* () {
    const budgetsOf = (index: number) => within(bridge, L, `branch ${index + 1}`, budget);
    const batched = isBatched ? { isBatched } : {};
    yield { parallel: branches, concurrency: limit, isApart, ...batched, budgetsOf };
    return null;
  });
}
