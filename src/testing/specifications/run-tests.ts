import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../contract/json/json.js';
import { procedureName } from '../../contract/procedures/source.js';
import type { TestEnvironment } from '../../worker/specifications/test-environment.js';
import { inParallel } from '../in-parallel.js';
import { judgeOf } from '../evaluations/judge-procedure.js';
import { planScenario } from './plan-scenario.js';
import type { TestFile } from './read-tests.js';
import { runScenario } from './run-scenario.js';
import { countResults, type FileResult, type ScenarioResult, type TestResults } from './test-results.js';
import { isUnloaded, type UnloadedFile } from '../unloaded-file.js';

/** A file with the input that each of its scenarios begins with. */
export interface GivenTests extends TestFile {
  input: JsonObject;
}

export interface TestOptions {
  /** No model is asked: agents, tools and models answer by their mocks. */
  mock: boolean;
  /** Scenarios at once. */
  parallel: number;
  /** Time of this machine that one scenario may take, in ms. */
  timeoutMs: number;
  /** The model that judges what a step asserts; null: the one that is there for agents that name none. */
  judgeModel: string | null;
  /** Each scenario runs a second time, and must do the same. */
  twice: boolean;
  /** Each scenario runs again on a worker that crashes after each effect, and must come to the same. */
  crashEverywhere: boolean;
  onScenario?: (file: string, result: ScenarioResult) => void;
}

/** Runs the scenarios of files, several side by side; the results stand in the files' order. */
export async function runTests(
  environment: TestEnvironment,
  files: readonly (GivenTests | UnloadedFile)[],
  options: TestOptions,
): Promise<TestResults> {
  const results = files.map((entry): FileResult => {
    return { file: entry.file, scenarios: [], error: isUnloaded(entry) ? entry.error : null };
  });
  const judge = judgeOf(environment, options.mock, options.judgeModel);
  const tasks = files.flatMap((entry, at) => {
    if (isUnloaded(entry)) return [];
    const { file, source, settings, fixtures, declared, scenarios, input } = entry;
    const given = { mock: options.mock, input };
    return scenarios.map((scenario, index) => async () => {
      const planned = planScenario(scenario, declared.steps, given, declared.standIns);
      const runId = `${procedureName(source)}-${randomUUID().slice(0, 8)}`;
      const how = { ...options, settings, fixtures, runId, judge, folder: environment.folderOf(file) };
      const result = await runScenario(environment, source, planned, how);
      (results[at] as FileResult).scenarios[index] = result;
      options.onScenario?.(file, result);
    });
  });
  await inParallel(tasks, options.parallel);
  return countResults(results);
}
