import type { LogEntryView } from '../../contract/runs/run-view.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { compareLogs } from '../../log/compare.js';
import type { TestEnvironment } from '../../worker/specifications/test-environment.js';
import { carryAgain } from './carry-again.js';
import { judgeScenario } from './judge-scenario.js';
import type { PlannedScenario } from './plan-scenario.js';
import { runOnce, type EndedRun, type RunOptions } from '../run-once.js';
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
  const carry = carryAgain(runId, first, first.startedAt);
  const { facts } = await runOnce(environment, source, planned, options, { start: { carry } });
  const judged = await judgeScenario(planned, { runId, facts, judge });
  const failed = judged.steps.find(({ status }) => status === 'failed');
  const lost = lostAnswers.countOf(runId);
  return stepOf(
    `it comes to the same where its worker crashes after each effect (${lost} done twice)`,
    failed === undefined ? differenceOfShape(first.facts, facts) : `${failed.text}: ${failed.message}`,
  );
}

function differenceOfShape(first: Facts, second: Facts): string | null {
  const isSame = (before: LogEntryView, after: LogEntryView): boolean =>
    before.type === after.type && before.status === after.status;
  const difference = compareLogs(first.log, second.log, isSame);
  if (difference === null) return null;
  const [before, after] = [difference.before, difference.after].map((entry) =>
    entry === undefined ? 'its end' : `${entry.position}: ${entry.type} ${entry.status}`,
  );
  return `without a crash the log has ${before}, and with crashes ${after}`;
}
