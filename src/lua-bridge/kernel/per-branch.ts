import { currentFrame } from '../scheduler/frame.js';
import type { LuaState } from '../vm/fengari.js';
import type { Bridge } from './bridge.js';
import type { Branching } from '../scheduler/branch-kept.js';

/**
 * What a room keeps for each branch of a run: a branch of `Parallel` begins with that of whoever asked for the branches,
 * as it was then. Made when it is first asked for, as in `PerRun`.
 */
export class PerBranch<T extends Branching> {
  constructor(private readonly make: (bridge: Bridge) => T) {}

  /** @param L a thread of the branch */
  of(bridge: Bridge, L: LuaState): T {
    const { kept } = currentFrame(L).scope;
    const known = kept.get(this) as T | undefined;
    if (known !== undefined) return known;
    const made = this.make(bridge);
    kept.set(this, made);
    return made;
  }
}
