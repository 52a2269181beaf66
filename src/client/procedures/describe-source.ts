import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { dryProgram, type Description } from '../../lua-bridge/index.js';

/**
 * What a source says of itself, found by loading it up to its first effect. Nothing is refused here: what is wrong
 * with it, the start says.
 */
export function describeSource(source: ProcedureSource, settings: RunSettings = {}): Description {
  const program = dryProgram(source, {}, { settings });
  program.turn();
  return program.describe();
}
