import type { EvaluationResult } from './evaluation-results.js';
import type { FileResult } from '../specifications/test-results.js';

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
