import { defaultLimits } from '../contract/limits.js';
import type { ProcedureSource } from '../contract/source.js';
import { Program, type DeclaredInput } from '../lua-bridge/index.js';

export interface SourceDescription {
  /** Types of the input's fields, by name; null where the procedure declares none, and takes anything. */
  input: DeclaredInput | null;
  /** Models of the agents, as they are named; null stands for the default. */
  models: (string | null)[];
}

/**
 * What a source says of itself, found by loading it up to its first effect. Nothing is refused here: what is wrong
 * with it, the start says.
 */
export function describeSource(source: ProcedureSource): SourceDescription {
  const limits = { ...defaultLimits, idleInstructions: 10_000_000 };
  const program = new Program({ source, input: {}, runId: 'describe', startedAt: 0, seed: 'describe', limits, carried: [] });
  program.turn();
  return program.describe();
}
