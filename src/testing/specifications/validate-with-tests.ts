import type { Feature, Scenario, Step } from '@cucumber/messages';
import { basename, dirname, join } from 'node:path';
import { collectFile } from '../../sources/collect-source.js';
import { type FileValidation, validateFile } from '../../client/procedures/index.js';
import { TactusError } from '../../contract/errors.js';
import { sortDiagnostics, type Diagnostic } from '../../validation/index.js';
import { describeTests, specifiedTexts, type SpecifiedText } from './declared-tests.js';
import { patternOf, StepProblem } from './step-definition.js';
import { readGherkin } from './feature.js';
import { matchStep, nearestStep, stepToWrite } from './match-step.js';
import type { DeclaredTests } from '../../lua-bridge/index.js';

/**
 * Validates a procedure with all that it requires, and its Specifications. Files are named as the given one is.
 * @throws TactusError source_not_found where there is no such file
 */
export async function validateWithTests(
  file: string,
  options: { strict?: boolean | null } = {},
): Promise<FileValidation> {
  const validation = await validateFile(file, options);
  const specifications = await specificationsOf(file);
  if (specifications === null) return validation;
  const folder = dirname(file);
  const shown = (name: string): string =>
    name === basename(file) ? file : folder === '.' && !file.startsWith('./') ? name : join(folder, name);
  const found = specifications.diagnostics.map((each) => ({ ...each, file: shown(each.file) }));
  const texts = specifications.texts.map(([name, text]) => [shown(name), text] as const);
  return {
    ...validation,
    diagnostics: sortDiagnostics([...validation.diagnostics, ...found]),
    texts: new Map([...texts, ...validation.texts]),
  };
}

/** null where the file can't be loaded: what is wrong with it has been said. */
async function specificationsOf(
  file: string,
): Promise<{ diagnostics: ReturnType<typeof checkSpecifications>; texts: [string, string][] } | null> {
  try {
    const source = await collectFile(file);
    const declared = describeTests(source);
    const specified = await specifiedTexts(dirname(file), source, declared);
    return {
      diagnostics: checkSpecifications(source.entry, declared.steps, specified),
      texts: specified.flatMap(({ file: name, text }) =>
        text === null || name === source.entry ? [] : [[name, text] as [string, string]],
      ),
    };
  } catch (error) {
    if (error instanceof TactusError) return null;
    throw error;
  }
}

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

/** A diagnostic whose line is counted from the beginning of the text. */
type FeatureProblem = Omit<Diagnostic, 'file'>;

/** What is wrong with a text of Gherkin, for a procedure that declares these steps. */
function checkFeature(text: string, steps: DeclaredTests['steps']): FeatureProblem[] {
  const read = readGherkin(text, '');
  if ('problems' in read)
    return read.problems.map(({ message, ...problem }) => ({
      ...{ ...problem, severity: 'error', code: 'wrong_gherkin' },
      message: `This is no Gherkin: ${message}`,
    }));
  const feature = read.document.feature ?? null;
  const scenarios = childrenOf(feature).flatMap(({ scenario }) => (scenario === undefined ? [] : [scenario]));
  return [
    ...(scenarios.length === 0 ? [emptyFeature(feature)] : []),
    ...scenarios.filter((scenario) => scenario.steps.length === 0).map(emptyScenario),
    ...scenarios
      .filter(({ name }, at) => scenarios.findIndex((each) => each.name === name) < at)
      .map(duplicate),
    ...undefinedSteps(
      feature,
      read.pickles.flatMap((pickle) => pickle.steps),
      steps,
    ),
  ];
}

/** Scenarios and backgrounds of a feature and of its rules. */
function childrenOf(
  feature: Feature | null,
): { scenario?: Scenario; background?: { steps: readonly Step[] } }[] {
  return (feature?.children ?? []).flatMap((child) => [child, ...(child.rule?.children ?? [])]);
}

function warning(
  node: Pick<Step, 'location'> | null | undefined,
  code: string,
  message: string,
  suggestion: string,
): FeatureProblem {
  const { line = 1, column = 1 } = node?.location ?? {};
  return { line, column, severity: 'warning', code, message, suggestion };
}

function emptyFeature(feature: Feature | null): FeatureProblem {
  const message = 'This Specification has no scenario: it tests nothing';
  return warning(feature, 'empty_feature', message, 'write Scenario: NAME and its steps');
}

function emptyScenario(scenario: Scenario): FeatureProblem {
  const message = `The scenario "${scenario.name}" has no step: it tests nothing`;
  return warning(scenario, 'empty_feature', message, 'write what it begins with, does and gives');
}

function duplicate(scenario: Scenario): FeatureProblem {
  const message = `There is a scenario "${scenario.name}" before this one: their results can't be told apart`;
  return warning(scenario, 'duplicate_scenario', message, 'give it a name of its own');
}

/** Each line once, however often an outline or a background has it run. */
function undefinedSteps(
  feature: Feature | null,
  used: readonly { text: string; astNodeIds: readonly string[] }[],
  steps: DeclaredTests['steps'],
): FeatureProblem[] {
  const written = childrenOf(feature).flatMap(({ scenario, background }) => [
    ...(background?.steps ?? []),
    ...(scenario?.steps ?? []),
  ]);
  const nodes = new Map(written.map((step) => [step.id, step]));
  const found = new Map<string, FeatureProblem>();
  for (const { text, astNodeIds } of used) {
    const [id = ''] = astNodeIds;
    if (found.has(id) || matchStep(text, steps).kind !== 'undefined') continue;
    const nearest = nearestStep(text);
    const reworded = nearest === null ? 'reword it' : `is meant: ${nearest}? Else reword it`;
    const suggestion = `${reworded}, or write ${stepToWrite(text)}`;
    found.set(id, warning(nodes.get(id), 'undefined_step', `No step reads: ${text}`, suggestion));
  }
  return [...found.values()];
}
