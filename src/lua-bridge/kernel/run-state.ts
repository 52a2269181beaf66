import { currentFrame, type Branching } from '../scheduler/frame.js';
import type { LuaState } from '../vm/fengari.js';
import type { Bridge } from './bridge.js';

/**
 * What a room keeps for each run: made when the run first asks for it, so that what a procedure doesn't use takes no
 * memory. The key is the object itself; the values are the run's.
 */
export class PerRun<T extends object> {
  constructor(private readonly make: (bridge: Bridge) => T) {}

  of(bridge: Bridge): T {
    const known = bridge.kept.get(this) as T | undefined;
    if (known !== undefined) return known;
    const made = this.make(bridge);
    bridge.kept.set(this, made);
    return made;
  }
}

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

const declarationBytes = 2_000;
const declarationCost = 500;

/** Declarations of one kind that a file has made, at its top level or while it runs, in order. */
export class DeclaredList<T> extends PerRun<T[]> {
  /** @param isForTests they are noted for tests, and do nothing in a run */
  constructor(readonly isForTests = false) {
    super(() => []);
  }

  /** What is declared is kept until the run ends, and counts as its memory. */
  add(bridge: Bridge, declared: T): void {
    bridge.meter.keep(declarationBytes);
    bridge.meter.charge(declarationCost);
    this.of(bridge).push(declared);
  }
}

/** How much a file has declared so far, of all kinds but one and those for tests. */
export function countDeclared(bridge: Bridge, but: DeclaredList<unknown>): number {
  let count = 0;
  for (const [key, kept] of bridge.kept)
    if (key instanceof DeclaredList && key !== but && !key.isForTests) count += (kept as unknown[]).length;
  return count;
}
