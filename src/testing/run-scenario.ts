import type { WorkflowHandle } from '@temporalio/client';
import { queryNames, workflowType } from '../contract/names.js';
import type { RunSettings } from '../contract/run-settings.js';
import type { Observed } from '../contract/scenario.js';
import type { ProcedureSource } from '../contract/source.js';
import type { StartInput } from '../contract/start-input.js';
import type { TestEnvironment } from '../worker/test-environment.js';
import { compareLogs } from './compare-logs.js';
import { judgeScenario } from './judge-scenario.js';
import type { PlannedScenario } from './plan-scenario.js';
import type { Facts, Judge } from './step-definition.js';
import type { ScenarioResult } from './test-results.js';

/** Time to tell what came of a run. */
const answerMs = 60_000;

export interface RunOptions {
  runId: string;
  /** Where the procedure's file lies, as the environment says. */
  folder: string;
  /** Time of this machine that the run may take. */
  timeoutMs: number;
  /** What configuration says of the procedure. */
  settings: RunSettings;
}

/**
 * Runs a scenario as a workflow of its own, and judges its steps by what came of it. `twice`: runs it once more, to see
 * whether it does the same.
 */
export async function runScenario(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { twice, judge, ...options }: RunOptions & { twice: boolean; judge: Judge },
): Promise<ScenarioResult> {
  const isRunnable =
    planned.problem === null &&
    planned.steps.length > 0 &&
    planned.matched.every(({ kind }) => kind !== 'undefined');
  if (!isRunnable) return judgeScenario(planned, null);
  const facts = await runOnce(environment, source, planned, options);
  const judged = await judgeScenario(planned, { runId: options.runId, facts, judge });
  if (!twice || judged.status !== 'passed') return judged;
  const again = await runOnce(environment, source, planned, { ...options, runId: `${options.runId}-again` });
  const difference = compareLogs(facts.log, again.log);
  const text = 'it does the same a second time';
  const step = {
    text,
    status: difference === null ? 'passed' : 'failed',
    message: difference ?? '',
  } as const;
  return { ...judged, status: step.status, steps: [...judged.steps, step] };
}

/** Runs what was planned, to its end or as long as it may. */
export async function runOnce(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { runId, folder, timeoutMs, settings }: RunOptions,
): Promise<Facts> {
  const { input, mock, task } = planned.plan;
  const start: StartInput = {
    ...{ source, input, folder, settings, mock, scenario: planned.steps },
    ...(task === null ? {} : { task }),
  };
  const handle = await environment.client.workflow.start(workflowType, {
    args: [start],
    workflowId: runId,
    taskQueue: environment.taskQueue,
  });
  const late = await endOf(handle, timeoutMs);
  return environment.client.withDeadline(Date.now() + answerMs, () =>
    factsOf(environment, handle, planned, late),
  );
}

/** Waits for the end of a run, however it ends; true where it doesn't come in time. */
async function endOf(handle: WorkflowHandle, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, timeoutMs, true)));
  // How it failed is told by the run itself.
  const ended = handle.result().then(
    () => false,
    () => false,
  );
  return Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

async function factsOf(
  { tactus }: TestEnvironment,
  handle: WorkflowHandle,
  { plan }: PlannedScenario,
  late: boolean,
): Promise<Facts> {
  const run = tactus.attach(handle.workflowId);
  // One after the other: several questions at once about a closed run are too much for the test server.
  const view = await run.status();
  const log = await run.log();
  const observed = await handle.query<Observed>(queryNames.observed);
  if (late) await handle.terminate('the scenario took too long');
  const { status, output, state, error, printed, usage } = view;
  return {
    status,
    input: plan.input,
    output,
    state,
    error,
    log: log.execution_log,
    printed,
    usage,
    observed,
  };
}
