import { defaultLimits } from '../contract/limits.js';
import type { ProcedureSource } from '../contract/source.js';
import { Program, type Description } from '../lua-bridge/index.js';

/**
 * What a source says of itself, found by loading it up to its first effect. Nothing is refused here: what is wrong
 * with it, the start says.
 */
export function describeSource(source: ProcedureSource): Description {
  const limits = { ...defaultLimits, idleInstructions: 10_000_000 };
  const program = new Program({
    source,
    input: {},
    runId: 'describe',
    startedAt: 0,
    seed: 'describe',
    limits,
    carried: [],
  });
  program.turn();
  return program.describe();
}
