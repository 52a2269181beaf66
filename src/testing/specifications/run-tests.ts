import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { JsonObject } from '../../contract/json/json.js';
import { procedureName, type ProcedureSource } from '../../contract/procedures/source.js';
import type { TestEnvironment } from '../../worker/index.js';
import { judgeOf } from '../evaluations/judge.js';
import { planScenario } from './plan-scenario.js';
import { runScenario } from './run-scenario.js';
import { countResults, type FileResult, type ScenarioResult, type TestResults } from './test-results.js';
import { chooseScenarios, readFeature, type Scenario, type ScenarioChoice } from './feature.js';
import { describeTests, specifiedTexts } from './declared-tests.js';
import { defaultParallel, inParallel, isUnloaded, type UnloadedFile } from '../several-files.js';
import { loadConfiguration, type Configuration } from '../../configuration/load-configuration.js';
import { findFixtures } from '../../configuration/fixtures.js';
import { TactusError } from '../../contract/errors.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import { collectFile } from '../../sources/collect-source.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { DeclaredTests } from '../../lua-bridge/index.js';

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

/**
 * What a run answers itself, for `tactus.start(source, input, { mock })`. With nothing given: no model is asked, the
 * file's `Mocks` count, and people are asked, as `run --mock` does; `people: []` has them approve.
 */
export function mockPlan(given: Partial<MockPlan> = {}): MockPlan {
  return { all: true, agents: {}, results: {}, people: null, ...given };
}

/** A procedure's file with the scenarios of its Specifications. */
export interface TestFile {
  file: string;
  source: ProcedureSource;
  /** What configuration says of it. */
  settings: RunSettings;
  /** Folder that the folder of files of each run begins with a copy of; null: none. */
  fixtures: string | null;
  declared: DeclaredTests;
  scenarios: Scenario[];
}

/**
 * Reads a file and its Specifications, with those that it takes from feature files beside it.
 * @throws TactusError source_not_found, source_invalid with file and line; config_invalid where its fixtures are no folder
 */
export async function readTests(
  file: string,
  { settings, fixtures }: Pick<Configuration, 'settings' | 'fixtures'>,
): Promise<TestFile> {
  const source = await collectFile(file);
  const declared = describeTests(source);
  const specified = await specifiedTexts(dirname(file), source, declared);
  const scenarios = specified.flatMap(({ text, file: name, firstLine, callLine }) => {
    if (text !== null) return readFeature(text, name, firstLine ?? callLine);
    throw new TactusError('source_not_found', `${source.entry}:${callLine}: there is no file ${name}`, {
      file: source.entry,
      line: callLine,
    });
  });
  return { file, source, settings, fixtures: await findFixtures(fixtures), declared, scenarios };
}
