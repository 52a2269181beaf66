import type { WorkflowHandle } from '@temporalio/client';
import { TactusError } from '../contract/errors.js';
import { queryNames, workflowType } from '../contract/names.js';
import type { RunSettings } from '../contract/runs/run-settings.js';
import type { Observed } from '../contract/specifications/scenario.js';
import type { ProcedureSource } from '../contract/procedures/source.js';
import type { JsonValue } from '../contract/json/json.js';
import { type StartInput } from '../contract/runs/start-input.js';
import { passOfAnother, type Pass } from '../contract/runs/pass.js';
import type { TestEnvironment } from '../worker/index.js';
import type { PlannedScenario } from './specifications/plan-scenario.js';
import type { Facts } from './specifications/step-definition.js';

/** Time to tell what came of a run. */
const answerMs = 60_000;

export interface RunOptions {
  runId: string;
  /** Where the procedure's file lies, as the environment says. */
  folder: string;
  /** Time of this machine that the run may take. */
  timeoutMs: number;
  /** Folder that its folder of files begins with a copy of; null: none. */
  fixtures: string | null;
  /** What configuration says of the procedure. */
  settings: RunSettings;
  /** Whether the packed log of the run is wanted. */
  wantsLog?: boolean;
}

/** What the run begins with that ran before; left out: nothing. */
export interface Before {
  start: Pick<StartInput, 'input' | 'carry' | 'drift'>;
  /** Its packed log; left out: empty. */
  log?: Uint8Array;
}

export interface EndedRun {
  facts: Facts;
  firstExecutionId: string;
  /** Both in ms since 1970. */
  startedAt: number;
  endedAt: number;
  /** Packed, where it was wanted; empty where it is too large to be told. */
  log: Uint8Array | null;
  /** What the pass began with that the log is of; null: the first pass, or the log wasn't wanted. */
  lastPass: { input: JsonValue; pass: Pass } | null;
  /** Its folder of files, where that is kept; else null. */
  filesFolder: string | null;
}

/**
 * Runs what was planned, to its end or as long as it may. It begins at the present time, and with the same files, whatever
 * ran before.
 * @throws TactusError file_failed where a step gives a file that can't be there
 */
export async function runOnce(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  options: RunOptions,
  before?: Before,
): Promise<EndedRun> {
  const { ownFiles } = environment;
  const { runId, fixtures } = options;
  const { files: texts } = planned.plan;
  const [first] = Object.keys(texts);
  if (ownFiles === null && first !== undefined)
    throw new TactusError(
      'file_failed',
      'a step gives files to a folder of the scenario’s own: leave --files (or filesRoot) out',
      { path: first },
    );
  const filesFolder = (await ownFiles?.begin(runId, { fixtures, texts })) ?? null;
  try {
    const ended = await runPlanned(environment, source, planned, options, before);
    return { ...ended, filesFolder: ownFiles?.keeps === true ? filesFolder : null };
  } finally {
    await ownFiles?.end(runId);
  }
}

async function runPlanned(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { runId, folder, timeoutMs, settings, wantsLog = false }: RunOptions,
  before?: Before,
): Promise<Omit<EndedRun, 'filesFolder'>> {
  const { input, mock, task } = planned.plan;
  const start: StartInput = {
    ...{ source, input, folder, settings, mock, scenario: planned.steps },
    ...(task === null ? {} : { task }),
  };
  const { value, end } = await environment.atPresent(async (place) => {
    const handle = await place.client.workflow.start(workflowType, {
      args: [{ ...start, ...before?.start }, ...(before?.log === undefined ? [] : [before.log])],
      workflowId: runId,
      taskQueue: environment.taskQueue,
    });
    return { place, handle };
  });
  const { place, handle } = value;
  try {
    const late = await endOf(handle, timeoutMs);
    const { firstExecutionRunId: firstExecutionId } = handle;
    return await place.client.withDeadline(Date.now() + answerMs, async () => {
      const log = wantsLog ? await handle.query<Uint8Array>(queryNames.packedCheckpoints) : null;
      const lastPass = wantsLog ? await lastPassOf(place, handle) : null;
      return { ...(await factsOf(place, handle, planned, late)), firstExecutionId, log, lastPass };
    });
  } finally {
    end();
  }
}

async function lastPassOf(
  { tactus }: Pick<TestEnvironment, 'tactus'>,
  { workflowId }: WorkflowHandle,
): Promise<EndedRun['lastPass']> {
  const { start, pass } = await tactus.attach(workflowId).started();
  return pass === undefined ? null : { input: start.input ?? {}, pass: passOfAnother(pass) };
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
  { tactus }: Pick<TestEnvironment, 'tactus'>,
  handle: WorkflowHandle,
  { plan }: PlannedScenario,
  late: boolean,
): Promise<Omit<EndedRun, 'firstExecutionId' | 'log' | 'lastPass' | 'filesFolder'>> {
  const run = tactus.attach(handle.workflowId);
  // One after the other: several questions at once about a closed run are too much for the test server.
  const view = await run.status();
  const log = await run.log({ all: true });
  const observed = await handle.query<Observed>(queryNames.observed);
  if (late) await handle.terminate('the scenario took too long');
  const { status, output, state, error, printed, usage } = view;
  const ended = { status, input: plan.input, output, state, error, printed, usage };
  const startedAt = Date.parse(view.started_at);
  const endedAt = view.closed_at === null ? startedAt : Date.parse(view.closed_at);
  return { facts: { ...ended, log: log.execution_log, observed }, startedAt, endedAt };
}
