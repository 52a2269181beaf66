import type { Feature, Scenario, Step } from '@cucumber/messages';
import type { DeclaredTests } from '../../lua-bridge/index.js';
import type { Diagnostic } from '../../validation/index.js';
import { readGherkin } from './gherkin.js';
import { matchStep, stepToWrite } from './match-step.js';
import { nearestStep } from './nearest-step.js';

/** A diagnostic whose line is counted from the beginning of the text. */
export type FeatureProblem = Omit<Diagnostic, 'file'>;

/** What is wrong with a text of Gherkin, for a procedure that declares these steps. */
export function checkFeature(text: string, steps: DeclaredTests['steps']): FeatureProblem[] {
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
