import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { TestEnvironment } from '../../worker/specifications/test-environment.js';
import { carryAgain } from './carry-again.js';
import { compareRuns } from './compare-runs.js';
import type { PlannedScenario } from './plan-scenario.js';
import { runOnce, type EndedRun, type RunOptions } from '../run-once.js';
import { stepOf, type StepResult } from './test-results.js';

/** Another year, month, day, hour, minute and second. */
const aheadMs = ((400 * 24 + 5) * 3_600 + 7 * 60 + 11) * 1_000;

/**
 * Runs a scenario again on the log of its first run: nothing outside is asked a second time, and chance and time are
 * other ones where nothing records them. It fails with what the second does otherwise.
 */
export async function replayScenario(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { first, ...options }: RunOptions & { first: EndedRun },
): Promise<StepResult> {
  const text = 'it does the same a second time';
  const { runId } = options;
  const { log } = first;
  if (log === null || log.length === 0)
    return stepOf(text, 'its log is too large to be given to a second run');
  // Under the same id: runs that it started are known by it.
  const carry = carryAgain(runId, first, first.startedAt);
  const start = { carry, drift: { seed: `${carry.seed}/again`, aheadMs } };
  const again = await runOnce(environment, source, planned, options, { start, log });
  return stepOf(text, compareRuns(first.facts, again.facts));
}
