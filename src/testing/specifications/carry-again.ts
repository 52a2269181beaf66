import { newestEngine } from '../../contract/engine.js';
import { newCarry, type Carry } from '../../contract/runs/start-input.js';
import type { EndedRun } from '../run-once.js';

/**
 * What a second run of a scenario begins with. It has the engine of the first, which began on this build too: what is handed over
 * without one is taken for that of a run of long ago, which knows fewer options and compares otherwise.
 */
export function carryAgain(
  runId: string,
  { firstExecutionId }: Pick<EndedRun, 'firstExecutionId'>,
  startedAt: number,
): Carry {
  return { ...newCarry(runId, firstExecutionId, startedAt), engine: newestEngine };
}
