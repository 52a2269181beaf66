import { randomUUID } from 'node:crypto';
import { procedureName } from '../../contract/procedures/source.js';
import type { TestEnvironment } from '../../worker/index.js';
import type { EvaluatedRun, Judgement } from './evaluator.js';
import { defaultParallel, inParallel, type UnloadedFile } from '../several-files.js';
import { judgeOf } from './judge.js';
import { planScenario } from '../specifications/plan-scenario.js';
import { readEvaluations, type Evaluation, type EvaluationCase } from './read-evaluations.js';
import { readTests, type TestFile } from '../specifications/run-tests.js';
import type { FileResult } from '../specifications/test-results.js';
import { runOnce } from '../run-once.js';
import { loadConfiguration } from '../../configuration/load-configuration.js';
import { TactusError, type RunError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';

export interface EvaluationOptions {
  mock: boolean;
  parallel: number;
  timeoutMs: number;
  /** Instead of what the file says. */
  runs: number | null;
  onRun?: (result: EvaluationRunResult) => void;
}

/** Runs every case of an evaluation as often as it says, and looks at each run with every evaluator. */
export async function runEvaluation(
  environment: TestEnvironment,
  test: TestFile,
  evaluation: Evaluation,
  options: EvaluationOptions,
): Promise<EvaluationResult> {
  const { cases, thresholds } = evaluation;
  const times = options.runs ?? evaluation.runs;
  const results: EvaluationRunResult[] = [];
  const tasks = cases.flatMap((each, at) =>
    Array.from({ length: times }, (_, time) => async () => {
      const result = await runCase(environment, test, evaluation, each, options);
      results[at * times + time] = result;
      options.onRun?.(result);
    }),
  );
  await inParallel(tasks, evaluation.parallel ? options.parallel : 1);
  const passed = results.filter((run) => run.status === 'passed').length;
  const successRate = results.length === 0 ? 0 : passed / results.length;
  const problems = [
    ...(successRate < thresholds.minSuccessRate
      ? [`${passed} of ${results.length} runs passed, expected ${thresholds.minSuccessRate * 100} %`]
      : []),
    ...overLimit(results, (run) => run.cost_usd, thresholds.maxCostPerRun, '$'),
    ...unknownCost(results, thresholds.maxCostPerRun),
    ...overLimit(results, (run) => run.duration_ms / 1_000, thresholds.maxDuration, 's'),
    ...overLimit(results, (run) => run.tokens, thresholds.maxTokensPerRun, 'tokens'),
  ];
  return {
    file: test.file,
    success_rate: successRate,
    passed: problems.length === 0,
    problems,
    runs: results,
    error: null,
  };
}

function overLimit(
  runs: readonly EvaluationRunResult[],
  of: (run: EvaluationRunResult) => number | null,
  most: number | null,
  unit: string,
): string[] {
  const over = most === null ? [] : runs.filter((run) => (of(run) ?? 0) > most);
  const [first] = over;
  return first === undefined
    ? []
    : [`${over.length} runs took over ${most} ${unit}, such as ${first.case}: ${of(first)} ${unit}`];
}

/** Who sets a limit must not take silence for keeping it. */
function unknownCost(runs: readonly EvaluationRunResult[], most: number | null): string[] {
  const unknown = most === null ? [] : runs.filter(({ cost_usd }) => cost_usd === null);
  const [first] = unknown;
  return first === undefined
    ? []
    : [
        `what ${unknown.length} runs cost isn't known, such as ${first.case}, so max_cost_per_run can't be told: set prices in the configuration`,
      ];
}

async function runCase(
  environment: TestEnvironment,
  { file, source, settings, fixtures }: TestFile,
  { evaluators }: Evaluation,
  { name, input, expected }: EvaluationCase,
  { mock, timeoutMs }: EvaluationOptions,
): Promise<EvaluationRunResult> {
  const scenario = { feature: 'Evaluation', name, tags: [], steps: ['the procedure runs'] };
  const planned = planScenario(scenario, [], { mock, input });
  const runId = `${procedureName(source)}-${randomUUID().slice(0, 8)}`;
  const begun = performance.now();
  const folder = environment.folderOf(file);
  const how = { runId, folder, timeoutMs, settings, fixtures };
  const { facts } = await runOnce(environment, source, planned, how);
  const { usage } = facts;
  const tokens = usage.input_tokens + usage.output_tokens;
  const run: EvaluatedRun = { ...facts, expected, costUsd: usage.cost_usd, tokens };
  const judge = judgeOf(environment, mock);
  const problems = facts.status === 'completed' ? [] : [facts.error?.message ?? `the run is ${facts.status}`];
  const unknown: string[] = [];
  if (problems.length === 0)
    for (const { name: evaluator, evaluate } of evaluators) {
      const judgement: Judgement = await evaluate(run, judge);
      if (judgement !== null && 'problem' in judgement) problems.push(`${evaluator}: ${judgement.problem}`);
      if (judgement !== null && 'unknown' in judgement) unknown.push(`${evaluator}: ${judgement.unknown}`);
    }
  return {
    case: name,
    status: problems.length === 0 ? 'passed' : 'failed',
    problems,
    unknown,
    output: facts.output,
    tokens,
    cost_usd: usage.cost_usd,
    duration_ms: Math.round(performance.now() - begun),
    run_id: runId,
  };
}

/** How the cases of a file's Evaluations run. Each field is a flag of `tactus-temporal evaluate`, with its default. */
export interface EvaluateFileOptions {
  /** No model is asked, nor a judge. Left out: false. */
  mock?: boolean;
  /** How often each case runs; left out: as often as the file says. */
  runs?: number;
  /** Runs at once; left out: one for each processor, four at most. */
  parallel?: number;
  /** Time of this machine that one run may take, in ms; left out: five minutes. */
  timeoutMs?: number;
}

/**
 * Runs the `Evaluation`s of a file that have a dataset, and holds them to their thresholds.
 * @returns one result for each Evaluation; one that misses its thresholds is a result, and nothing is thrown for it
 * @throws TactusError source_not_found, source_invalid, config_invalid; usage where there is none with a dataset
 */
export async function evaluateFile(
  environment: TestEnvironment,
  file: string,
  options: EvaluateFileOptions = {},
): Promise<EvaluationResult[]> {
  const configuration = await loadConfiguration(file, { workingFolder: process.cwd(), env: process.env });
  const tests = await readTests(file, configuration);
  const evaluations = await readEvaluations(file, tests.declared.evaluations);
  if (evaluations.length === 0)
    throw new TactusError('usage', `No Evaluation with a dataset was found in ${file}`);
  const results: EvaluationResult[] = [];
  for (const evaluation of evaluations)
    results.push(
      await runEvaluation(environment, tests, evaluation, {
        mock: options.mock ?? false,
        parallel: options.parallel ?? defaultParallel(),
        timeoutMs: options.timeoutMs ?? 300_000,
        runs: options.runs ?? null,
      }),
    );
  return results;
}

/** The JSON of `tactus-temporal evaluate`. */
export interface EvaluationResults {
  /** Every evaluation reached its thresholds. */
  passed: boolean;
  evaluations: EvaluationResult[];
}

export interface EvaluationResult {
  file: string;
  /** Share of the runs that passed, from 0 to 1. */
  success_rate: number;
  passed: boolean;
  /** Thresholds that were not reached. */
  problems: string[];
  runs: EvaluationRunResult[];
  /** Why the file couldn't be loaded; null where it could. */
  error: RunError | null;
}

/** A file that couldn't be loaded has failed. */
export function unevaluated({ file, error }: UnloadedFile): EvaluationResult {
  return { file, success_rate: 0, passed: false, problems: [error.message], runs: [], error };
}

export interface EvaluationRunResult {
  case: string;
  status: 'passed' | 'failed';
  problems: string[];
  /** What nobody could tell. */
  unknown: string[];
  output: JsonValue;
  tokens: number;
  /** null: not known. */
  cost_usd: number | null;
  duration_ms: number;
  run_id: string;
}

/**
 * What is wrong, a line for each scenario that didn't pass and for each threshold that was missed; empty where nothing
 * is: `expect(problemsOf(result)).toEqual([])`.
 */
export function problemsOf(result: FileResult | EvaluationResult): string[] {
  if ('problems' in result) {
    const runs = result.runs.flatMap((run) => run.problems.map((problem) => `${run.case}: ${problem}`));
    return result.passed ? [] : [...result.problems, ...runs];
  }
  const scenarios = result.scenarios.filter(({ status }) => status !== 'passed');
  return scenarios.map(({ name, status, steps }) => {
    const step = steps.find((each) => each.status === 'failed' || each.status === 'undefined');
    return step === undefined
      ? `${name}: ${status}`
      : `${name}: ${step.text}: ${step.message || step.status}`;
  });
}
