import type { EvaluationResult, EvaluationRunResult } from '../../testing/evaluations/evaluation-results.js';
import type { Screen } from '../terminal/screen.js';

/** One run that has ended, and how far the evaluation is. */
export function evaluatedRunText(
  run: EvaluationRunResult,
  done: number,
  total: number,
  paint: Screen['paint'],
): string {
  const mark = run.status === 'passed' ? paint.green('✓') : paint.red('✗');
  const lines = [
    ...run.problems.map((problem) => `    ${problem}`),
    ...run.unknown.map((text) => paint.dim(`    not judged: ${text}`)),
  ];
  return [`${mark} ${run.case} (${done} of ${total})`, ...lines].join('\n');
}

export function evaluationText(result: EvaluationResult): string {
  const { file, success_rate, passed, problems, runs, error } = result;
  if (error !== null) return `${file}: can't be loaded`;
  const count = runs.filter(({ status }) => status === 'passed').length;
  const rate = `${count} of ${runs.length} runs passed (${Math.round(success_rate * 100)} %)`;
  return [
    `${file}: ${rate}${passed ? '' : ', which is not enough'}`,
    ...problems.map((problem) => `  ${problem}`),
  ].join('\n');
}
