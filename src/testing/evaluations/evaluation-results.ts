import type { RunError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { UnloadedFile } from '../several-files.js';
import type { FileResult } from '../specifications/test-results.js';

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
