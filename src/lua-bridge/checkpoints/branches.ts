import type { Bridge } from '../kernel/bridge.js';
import { checkpointed } from './checkpointed.js';
import type { Step } from '../scheduler/native.js';
import type { Branch } from '../scheduler/task.js';
import type { LuaState } from '../vm/fengari.js';

/**
 * Runs branches in a frame of their own, and leaves a table of their first results, in order, on the stack.
 * @param isApart what is kept for each branch, such as its conversation, is its own
 */
export function* runBranches(
  bridge: Bridge,
  L: LuaState,
  branches: readonly Branch[],
  { concurrency, isApart }: { concurrency: number; isApart: boolean },
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
    yield { parallel: branches, concurrency: limit, isApart };
    return null;
  });
}
