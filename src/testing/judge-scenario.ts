import { expectsFailure, stepToWrite, type MatchedStep } from './match-step.js';
import type { PlannedScenario } from './plan-scenario.js';
import { StepProblem, type Facts } from './step-definition.js';
import type { ScenarioResult, StepResult } from './test-results.js';

/** How each step of a scenario went; after the first that failed, the others are skipped. */
export function judgeScenario(
  planned: PlannedScenario,
  runId: string | null,
  facts: Facts | null,
): ScenarioResult {
  const { feature, name, tags, steps: texts } = planned.scenario;
  // A scenario without steps says nothing: it is still to be written, too.
  const isUndefined = texts.length === 0 || planned.matched.some(({ kind }) => kind === 'undefined');
  const steps: StepResult[] = [];
  let isOver = false;
  for (const [index, text] of texts.entries()) {
    const step: StepResult = isUndefined
      ? undefinedOrSkipped(text, planned.matched[index])
      : isOver
        ? skipped(text)
        : judge(planned, index, text, facts);
    isOver ||= step.status === 'failed';
    steps.push(step);
  }
  const status = isUndefined ? 'undefined' : isOver ? 'failed' : 'passed';
  return { feature, name, tags, status, steps, run_id: runId };
}

function skipped(text: string): StepResult {
  return { text, status: 'skipped', message: '' };
}

function undefinedOrSkipped(text: string, matched: MatchedStep | undefined): StepResult {
  if (matched?.kind !== 'undefined') return skipped(text);
  return {
    text,
    status: 'undefined',
    message: `no step is defined for this; write one:\n${stepToWrite(text)}`,
  };
}

function judge(planned: PlannedScenario, index: number, text: string, facts: Facts | null): StepResult {
  const problem = problemOf(planned, index, facts);
  return { text, status: problem === null ? 'passed' : 'failed', message: problem ?? '' };
}

function problemOf(planned: PlannedScenario, index: number, facts: Facts | null): string | null {
  if (planned.problem?.step === index) return planned.problem.message;
  const matched = planned.matched[index];
  if (matched === undefined || matched.kind === 'undefined' || facts === null) return null;
  if (matched.kind === 'own') return problemOfOwn(planned, index, facts);
  const { definition, captures } = matched;
  if (definition.kind === 'arrange') return null;
  if (definition.kind === 'run') return problemOfRun(planned, facts);
  try {
    return definition.look(facts, ...captures);
  } catch (error) {
    if (error instanceof StepProblem) return error.message;
    throw error;
  }
}

function problemOfOwn({ stepOf }: PlannedScenario, index: number, facts: Facts): string | null {
  const ended = facts.observed.steps[stepOf.indexOf(index)];
  if (ended === undefined) return `the run ended before this step: ${failure(facts)}`;
  return ended.ok ? null : ended.message;
}

/** A procedure that fails is as it should be where a later step says so. */
function problemOfRun({ matched }: PlannedScenario, facts: Facts): string | null {
  return facts.status === 'completed' || matched.some(expectsFailure) ? null : failure(facts);
}

function failure({ status, error }: Facts): string {
  if (error === null) return `the run is ${status.replaceAll('_', ' ')}, and nothing more happens`;
  const { message, file, line } = error;
  return file === null || message.includes(`${file}:`) ? message : `${file}:${line ?? '?'}: ${message}`;
}
