import type { DeclaredTests } from '../../lua-bridge/index.js';
import type { Diagnostic } from '../../validation/index.js';
import { checkFeature } from './check-feature.js';
import { patternOf } from './pattern-of.js';
import type { SpecifiedText } from './specified-texts.js';
import { StepProblem } from './step-definition.js';

/** What is wrong with the Specifications of a procedure, and with the steps that it declares; `entry` is its file. */
export function checkSpecifications(
  entry: string,
  steps: DeclaredTests['steps'],
  specified: readonly SpecifiedText[],
): Diagnostic[] {
  const checked = steps.map((step) => ({ step, problem: patternProblem(step.pattern) }));
  const usable = checked.flatMap(({ step, problem }) => (problem === null ? [step] : []));
  return [
    ...checked.flatMap(({ step, problem }): Diagnostic[] =>
      problem === null
        ? []
        : [
            {
              ...{ file: entry, line: step.line ?? 1, column: 1, severity: 'error' },
              ...{ code: 'wrong_step_pattern', message: problem },
              suggestion: 'write a backslash before what is meant as it is, such as \\(',
            },
          ],
    ),
    ...specified.flatMap((each) => checkText(each, entry, usable)),
  ];
}

/** Why a step's text is no pattern; null where it is one. */
function patternProblem(pattern: string): string | null {
  try {
    patternOf(pattern, 'i');
    return null;
  } catch (error) {
    if (!(error instanceof StepProblem)) throw error;
    return error.message;
  }
}

function checkText(
  { text, file, firstLine, callLine }: SpecifiedText,
  entry: string,
  steps: DeclaredTests['steps'],
): Diagnostic[] {
  if (text === null)
    return [
      {
        ...{ file: entry, line: callLine, column: 1, severity: 'error', code: 'feature_not_found' },
        message: `There is no file ${file}`,
        suggestion: "name it as it is seen from the procedure's folder",
      },
    ];
  return checkFeature(text, steps).map((problem) => ({
    ...{ file, ...problem },
    ...(firstLine === null
      ? { line: callLine, column: 1 }
      : { line: firstLine + problem.line - 1, column: problem.column }),
  }));
}
