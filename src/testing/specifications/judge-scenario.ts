import type { RunError } from '../../contract/errors.js';
import { expectsFailure, nearestStep, stepToWrite, type MatchedStep } from './match-step.js';
import type { PlannedScenario } from './plan-scenario.js';
import { StepProblem, type Facts, type Judge } from './step-definition.js';
import type { ScenarioResult, StepResult } from './test-results.js';

/** What came of a scenario's run, and who judges what can't be compared. */
export interface EndedScenario {
  runId: string;
  facts: Facts;
  judge: Judge;
}

/** How each step of a scenario went; after the first that failed, the others are skipped. `ended`: null where nothing was run. */
export async function judgeScenario(
  planned: PlannedScenario,
  ended: EndedScenario | null,
): Promise<ScenarioResult> {
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
        : await judgeStep(planned, index, text, ended);
    isOver ||= step.status === 'failed';
    steps.push(step);
  }
  const status = isUndefined ? 'undefined' : isOver ? 'failed' : 'passed';
  return { feature, name, tags, status, steps, run_id: ended?.runId ?? null };
}

function skipped(text: string): StepResult {
  return { text, status: 'skipped', message: '' };
}

function undefinedOrSkipped(text: string, matched: MatchedStep | undefined): StepResult {
  if (matched?.kind !== 'undefined') return skipped(text);
  const nearest = nearestStep(text);
  const meant = nearest === null ? '' : ` is meant: ${nearest}? Else`;
  const message = `no step is defined for this;${meant} write one:\n${stepToWrite(text)}`;
  return { text, status: 'undefined', message };
}

async function judgeStep(
  planned: PlannedScenario,
  index: number,
  text: string,
  ended: EndedScenario | null,
): Promise<StepResult> {
  const problem = await problemOf(planned, index, ended);
  if (problem === null) return { text, status: 'passed', message: '' };
  return typeof problem === 'string'
    ? { text, status: 'failed', message: problem }
    : { text, status: 'skipped', message: `not judged: ${problem.unknown}` };
}

async function problemOf(
  planned: PlannedScenario,
  index: number,
  ended: EndedScenario | null,
): Promise<string | { unknown: string } | null> {
  if (planned.problem?.step === index) return planned.problem.message;
  const matched = planned.matched[index];
  if (matched === undefined || matched.kind === 'undefined' || ended === null) return null;
  const { facts, judge } = ended;
  if (matched.kind === 'own') return problemOfOwn(planned, index, facts);
  const { definition, captures } = matched;
  if (definition.kind === 'arrange') return null;
  if (definition.kind === 'run') return problemOfRun(planned, facts);
  try {
    return definition.kind === 'ask'
      ? await definition.ask(facts, judge, ...captures)
      : definition.look(facts, ...captures);
  } catch (error) {
    if (error instanceof StepProblem) return error.message;
    throw error;
  }
}

function problemOfOwn({ stepOf }: PlannedScenario, index: number, facts: Facts): string | null {
  const ended = facts.observed.steps[stepOf.indexOf(index)];
  if (ended === undefined)
    return facts.error === null ? failure(facts) : `the run ended before this step: ${failure(facts)}`;
  return ended.ok ? null : ended.message;
}

/** A procedure that fails is as it should be where a later step says so. */
function problemOfRun({ matched }: PlannedScenario, facts: Facts): string | null {
  return facts.status === 'completed' || matched.some(expectsFailure) ? null : failure(facts);
}

function failure({ status, error }: Facts): string {
  if (status === 'running') return 'the run takes longer than a scenario may (--timeout)';
  if (error === null) return `the run is ${status.replaceAll('_', ' ')}, and nothing more happens`;
  return errorText(error);
}

/** What a run failed with, with its place where the message doesn't say it. */
export function errorText({ message, file, line }: RunError): string {
  return file === null || message.includes(`${file}:`) ? message : `${file}:${line ?? '?'}: ${message}`;
}
