import { TactusError } from '../../contract/errors.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { TestEnvironment } from '../../worker/specifications/test-environment.js';
import { crashScenario } from './crash-scenario.js';
import { judgeScenario } from './judge-scenario.js';
import type { PlannedScenario } from './plan-scenario.js';
import { replayScenario } from './replay-scenario.js';
import { runOnce, type RunOptions } from '../run-once.js';
import type { Judge } from './step-definition.js';
import type { ScenarioResult } from './test-results.js';

export interface ScenarioOptions extends RunOptions {
  judge: Judge;
  /** One that passes runs a second time on the log of the first. */
  twice: boolean;
  /** One that passes runs again on a worker that crashes after each effect. */
  crashEverywhere: boolean;
}

/** Runs a scenario as a workflow of its own, and judges its steps by what came of it. */
export async function runScenario(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { twice, crashEverywhere, ...options }: ScenarioOptions,
): Promise<ScenarioResult> {
  const isRunnable =
    planned.problem === null &&
    planned.steps.length > 0 &&
    planned.matched.every(({ kind }) => kind !== 'undefined');
  if (!isRunnable) return judgeScenario(planned, null);
  const first = await runOnce(environment, source, planned, { ...options, wantsLog: twice }).catch(
    (error: unknown) => problemOfFile(error, planned),
  );
  if ('step' in first) return judgeScenario({ ...planned, problem: first }, null);
  const judged = {
    ...(await judgeScenario(planned, { ...options, facts: first.facts })),
    ...(first.filesFolder === null ? {} : { files_folder: first.filesFolder }),
  };
  if (judged.status !== 'passed') return judged;
  const { steps } = judged;
  if (twice) steps.push(await replayScenario(environment, source, planned, { ...options, first }));
  if (crashEverywhere) steps.push(await crashScenario(environment, source, planned, { ...options, first }));
  const hasFailed = steps.some(({ status }) => status === 'failed');
  return { ...judged, status: hasFailed ? 'failed' : 'passed' };
}

/** A file that a step gives and that can't be there is a fault of that step. */
function problemOfFile(error: unknown, { matched }: PlannedScenario): { step: number; message: string } {
  if (!(error instanceof TactusError) || error.code !== 'file_failed') throw error;
  const { path } = error.details;
  const at = matched.findIndex((each) => each.kind === 'built-in' && each.captures[0] === path);
  return { step: Math.max(at, 0), message: error.message };
}
