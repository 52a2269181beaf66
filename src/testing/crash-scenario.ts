import { newCarry } from '../contract/start-input.js';
import type { ProcedureSource } from '../contract/source.js';
import type { TestEnvironment } from '../worker/test-environment.js';
import { judgeScenario } from './judge-scenario.js';
import type { PlannedScenario } from './plan-scenario.js';
import { runOnce, type EndedRun, type RunOptions } from './run-once.js';
import type { Facts, Judge } from './step-definition.js';
import { stepOf, type StepResult } from './test-results.js';

/**
 * Runs a scenario again on a worker that is lost after each effect, before it can tell of it: whatever left the worker is
 * done twice. All steps must pass as before, and the log must have the same checkpoints; the times in it are others.
 */
export async function crashScenario(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { first, judge, ...options }: RunOptions & { first: EndedRun; judge: Judge },
): Promise<StepResult> {
  const { runId } = options;
  const { lostAnswers } = environment;
  lostAnswers.loseFor(runId);
  // The same id and seed: what chance decides is no difference.
  const carry = newCarry(runId, first.firstExecutionId, first.endedAt);
  const { facts } = await runOnce(environment, source, planned, options, { start: { carry } });
  const judged = await judgeScenario(planned, { runId, facts, judge });
  const failed = judged.steps.find(({ status }) => status === 'failed');
  const lost = lostAnswers.countOf(runId);
  return stepOf(
    `it comes to the same where its worker crashes after each effect (${lost} done twice)`,
    failed === undefined ? differenceOfShape(first.facts, facts) : `${failed.text}: ${failed.message}`,
  );
}

/** Branches may end in another order. */
function differenceOfShape(first: Facts, second: Facts): string | null {
  const [before, after] = [first, second].map(({ log }) =>
    log.map(({ position, type, status }) => `${position}: ${type} ${status}`).sort(),
  ) as [string[], string[]];
  const at = before.findIndex((entry, index) => entry !== after[index]);
  if (at < 0 && before.length === after.length) return null;
  const index = at < 0 ? before.length : at;
  return `without a crash the log has ${before[index] ?? 'its end'}, and with crashes ${after[index] ?? 'its end'}`;
}
