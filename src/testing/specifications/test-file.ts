import { loadConfiguration } from '../../configuration/load-configuration.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { TestEnvironment } from '../../worker/specifications/test-environment.js';
import { chooseScenarios, type ScenarioChoice } from './choose-scenarios.js';
import { defaultParallel } from '../in-parallel.js';
import { readTests } from './read-tests.js';
import { runTests } from './run-tests.js';
import type { FileResult } from './test-results.js';

/** How the scenarios of a file run. Each field is a flag of `tactus-temporal test`, with its default. */
export interface TestFileOptions extends ScenarioChoice {
  /** No model is asked: agents, tools and models answer by the file's `Mocks` and the scenario. Left out: false. */
  mock?: boolean;
  /** Input for every scenario; what a scenario's steps say goes before it. */
  input?: JsonObject;
  /** Scenarios at once; left out: one for each processor, four at most. */
  parallel?: number;
  /** Time of this machine that one scenario may take, in ms; left out: a minute. */
  timeoutMs?: number;
  /** The model that judges what `should semantically satisfy` says; left out: the one of agents that name none. */
  judgeModel?: string;
  /** Each scenario runs a second time from its log, and must do the same. Needs `coldCaches`. */
  twice?: boolean;
  /** Each scenario runs again on a worker that crashes after each effect. Needs `coldCaches`. */
  crashEverywhere?: boolean;
}

/**
 * Runs the scenarios of a file's Specifications, each as a workflow of its own.
 * @returns how each went, in the order of the file; a scenario that fails is a result, and nothing is thrown for it
 * @throws TactusError source_not_found, source_invalid with file and line, config_invalid; usage where no scenario is chosen
 */
export async function testFile(
  environment: TestEnvironment,
  file: string,
  options: TestFileOptions = {},
): Promise<FileResult> {
  const { input = {}, judgeModel = null, twice = false, crashEverywhere = false } = options;
  if ((twice || crashEverywhere) && !environment.coldCaches)
    throw new TactusError(
      'usage',
      'Scenarios run twice or with crashes in an environment that was started with coldCaches: true',
    );
  const configuration = await loadConfiguration(file, { workingFolder: process.cwd(), env: process.env });
  const tests = await readTests(file, configuration);
  const scenarios = chooseScenarios(tests.scenarios, options);
  if (scenarios.length === 0) throw new TactusError('usage', `No scenario was found in ${file}`);
  const results = await runTests(environment, [{ ...tests, scenarios, input }], {
    mock: options.mock ?? false,
    parallel: options.parallel ?? defaultParallel(),
    timeoutMs: options.timeoutMs ?? 60_000,
    ...{ judgeModel, twice, crashEverywhere },
  });
  const [result] = results.files;
  return result as FileResult;
}
