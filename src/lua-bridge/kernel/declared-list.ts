import type { Bridge } from './bridge.js';
import { PerRun } from './per-run.js';

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
