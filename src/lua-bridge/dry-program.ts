import { defaultLimits } from '../contract/runs/limits.js';
import { hasCode } from '../contract/errors.js';
import { assertPromptsAsked } from '../contract/procedures/prompts.js';
import type { JsonValue } from '../contract/json/json.js';
import type { ProcedureSource } from '../contract/procedures/source.js';
import { Program } from './program.js';
import type { ProgramOptions } from './program-options.js';

/** A dry run stops early: what costs more than this is no declaration. */
const dryLimits = { ...defaultLimits, idleInstructions: 10_000_000 };

/** A program of which only the beginning is of interest: nothing that it asks for is performed. */
export function dryProgram(
  source: ProcedureSource,
  input: JsonValue,
  more: Pick<ProgramOptions, 'mock' | 'scenario' | 'settings' | 'task'> = {},
): Program {
  return new Program({
    source,
    input,
    runId: 'dry',
    startedAt: 0,
    seed: 'dry',
    limits: dryLimits,
    carried: [],
    ...more,
  });
}

/**
 * Refuses a source that could never run, whatever its input is: it is loaded up to its first effect, which isn't performed.
 * @throws TactusError source_invalid, no_procedure, source_not_found
 */
export function assertLoads(source: ProcedureSource): void {
  assertPromptsAsked(source);
  const turn = dryProgram(source, {}).turn();
  if (turn.kind === 'failed' && hasCode(turn.error, 'source_invalid', 'no_procedure', 'source_not_found'))
    throw turn.error;
}
