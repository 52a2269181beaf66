import type { ScenarioResult, TestResults } from '../../testing/specifications/test-results.js';
import type { Screen } from '../terminal/screen.js';

const marks = { passed: '✓', failed: '✗', undefined: '?', skipped: '-' } as const;

/** A scenario that has ended; where it didn't pass, with its steps. */
export function scenarioText(file: string, result: ScenarioResult, paint: Screen['paint']): string {
  const colour = result.status === 'passed' ? paint.green : paint.red;
  const title = `${colour(marks[result.status])} ${file} · ${result.feature} · ${result.name}`;
  const told =
    result.status === 'passed' ? result.steps.filter(({ message }) => message !== '') : result.steps;
  const steps = told.map(({ text, status, message }) => {
    const line = `    ${marks[status]} ${text}`;
    if (message === '') return paint.dim(line);
    return `${paint.red(line)}\n${message.replace(/^/gm, '        ')}`;
  });
  const { files_folder: kept } = result;
  return [title, ...steps, ...(kept === undefined ? [] : [`    files: ${kept}`])].join('\n');
}

export function summaryText({
  passed,
  failed,
  undefined: missing,
  not_loaded: unloaded,
}: TestResults): string {
  const undefinedSteps = missing === 0 ? '' : `, ${missing} with undefined steps`;
  const files = unloaded === 0 ? '' : `, ${unloaded} ${unloaded === 1 ? 'file' : 'files'} not loaded`;
  return `${passed} passed, ${failed} failed${undefinedSteps}${files}`;
}
