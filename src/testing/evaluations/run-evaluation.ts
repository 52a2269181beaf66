import { randomUUID } from 'node:crypto';
import { procedureName } from '../../contract/procedures/source.js';
import type { TestEnvironment } from '../../worker/specifications/test-environment.js';
import type { EvaluatedRun, Judgement } from './evaluator.js';
import type { EvaluationResult, EvaluationRunResult } from './evaluation-results.js';
import { inParallel } from '../in-parallel.js';
import { judgeOf } from './judge-procedure.js';
import { planScenario } from '../specifications/plan-scenario.js';
import type { Evaluation, EvaluationCase } from './read-evaluations.js';
import type { TestFile } from '../specifications/read-tests.js';
import { runOnce } from '../run-once.js';

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
