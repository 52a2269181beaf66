import { hasCode, type RunError } from '../../contract/errors.js';
import { newestEngine } from '../../contract/engine.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { TestEnvironment } from '../../worker/index.js';
import type { PlannedScenario } from './plan-scenario.js';
import { runOnce, type EndedRun, type RunOptions } from '../run-once.js';
import { StepProblem, type Facts, type Judge } from './step-definition.js';
import { stepOf, type ScenarioResult, type StepResult } from './test-results.js';
import { compareWholeParts } from './whole-parts.js';
import { expectsFailure, nearestStep, stepToWrite, type MatchedStep } from './match-step.js';
import type { LogEntryView } from '../../contract/runs/run-view.js';
import { newCarry, type Carry } from '../../contract/runs/start-input.js';
import { compareLogs } from '../../log/compare.js';
import { canonicalJson, type JsonValue } from '../../contract/json/json.js';
import { shortJson } from '../evaluations/expected-value.js';

/** Another year, month, day, hour, minute and second. */
const aheadMs = ((400 * 24 + 5) * 3_600 + 7 * 60 + 11) * 1_000;

/**
 * Runs a scenario again on the log of its first run: nothing outside is asked a second time, and chance and time are
 * other ones where nothing records them. It fails with what the second does otherwise.
 */
async function replayScenario(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { first, ...options }: RunOptions & { first: EndedRun },
): Promise<StepResult> {
  const text = 'it does the same a second time';
  const { runId } = options;
  const { log, lastPass } = first;
  if (log === null || log.length === 0)
    return stepOf(text, 'its log is too large to be given to a second run');
  // Under the same id: runs that it started are known by it.
  const carry = carryAgain(runId, first, first.startedAt);
  const drift = { seed: `${carry.seed}/again`, aheadMs };
  // The log is that of the last pass alone.
  const start =
    lastPass === null
      ? { carry, drift }
      : { input: lastPass.input, carry: { ...carry, pass: lastPass.pass }, drift };
  const again = await runOnce(environment, source, planned, options, { start, log });
  return stepOf(text, compareRuns(first.facts, again.facts));
}

/** Where a second run on the log of a first one went another way, with both sides; null: nowhere. */
export function compareRuns(first: Facts, second: Facts): string | null {
  const { error } = second;
  if (error?.code === 'non_determinism') return errorText(error);
  return (
    difference('the end', endOf(first), endOf(second)) ??
    difference('the output', first.output, second.output) ??
    difference('the state', first.state, second.state)
  );
}

function endOf({ status, error }: Facts): JsonValue {
  return error === null ? status : `${status}: ${errorText(error)}`;
}

function difference(what: string, first: JsonValue, second: JsonValue): string | null {
  if (canonicalJson(first) === canonicalJson(second)) return null;
  return `${what}: the first time ${shortJson(first)}; the second time ${shortJson(second)}`;
}

export interface ScenarioOptions extends RunOptions {
  judge: Judge;
  /** One that passes runs a second time on the log of the first. */
  twice: boolean;
  /** One that passes runs again on a worker that crashes after each effect. */
  crashEverywhere: boolean;
}

/** Runs a scenario as a workflow of its own, and judges its steps by what came of it. */
export async function runScenario(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { twice, crashEverywhere, ...options }: ScenarioOptions,
): Promise<ScenarioResult> {
  const isRunnable =
    planned.problem === null &&
    planned.steps.length > 0 &&
    planned.matched.every(({ kind }) => kind !== 'undefined');
  if (!isRunnable) return judgeScenario(planned, null);
  const first = await runOnce(environment, source, planned, {
    ...options,
    wantsLog: twice || crashEverywhere,
  }).catch((error: unknown) => problemOfFile(error, planned));
  if ('step' in first) return judgeScenario({ ...planned, problem: first }, null);
  const judged = {
    ...(await judgeScenario(planned, { ...options, facts: first.facts })),
    ...(first.filesFolder === null ? {} : { files_folder: first.filesFolder }),
  };
  if (judged.status !== 'passed') return judged;
  const { steps } = judged;
  if (twice) steps.push(await replayScenario(environment, source, planned, { ...options, first }));
  if (crashEverywhere) {
    steps.push(await crashScenario(environment, source, planned, { ...options, first }));
    const { count, difference } = compareWholeParts(source, planned, options, first);
    if (count > 0)
      steps.push(stepOf(`it goes on the same from each part that is whole (${count})`, difference));
  }
  const hasFailed = steps.some(({ status }) => status === 'failed');
  return { ...judged, status: hasFailed ? 'failed' : 'passed' };
}

/** A file that a step gives and that can't be there is a fault of that step. */
function problemOfFile(error: unknown, { matched }: PlannedScenario): { step: number; message: string } {
  if (!hasCode(error, 'file_failed')) throw error;
  const { path } = error.details;
  const at = matched.findIndex((each) => each.kind === 'built-in' && each.captures[0] === path);
  return { step: Math.max(at, 0), message: error.message };
}

/**
 * Runs a scenario again on a worker that is lost after each effect, before it can tell of it: whatever left the worker is
 * done twice. All steps must pass as before, and the log must have the same checkpoints; the times in it are others.
 */
async function crashScenario(
  environment: TestEnvironment,
  source: ProcedureSource,
  planned: PlannedScenario,
  { first, judge, ...options }: RunOptions & { first: EndedRun; judge: Judge },
): Promise<StepResult> {
  const { runId } = options;
  const { lostAnswers } = environment;
  lostAnswers.loseFor(runId);
  // The same id and seed: what chance decides is no difference.
  const carry = carryAgain(runId, first, first.startedAt);
  const { facts } = await runOnce(environment, source, planned, options, { start: { carry } });
  const judged = await judgeScenario(planned, { runId, facts, judge });
  const failed = judged.steps.find(({ status }) => status === 'failed');
  const lost = lostAnswers.countOf(runId);
  return stepOf(
    `it comes to the same where its worker crashes after each effect (${lost} done twice)`,
    failed === undefined ? differenceOfShape(first.facts, facts) : `${failed.text}: ${failed.message}`,
  );
}

function differenceOfShape(first: Facts, second: Facts): string | null {
  const isSame = (before: LogEntryView, after: LogEntryView): boolean =>
    before.type === after.type && before.status === after.status;
  const difference = compareLogs(first.log, second.log, isSame);
  if (difference === null) return null;
  const [before, after] = [difference.before, difference.after].map((entry) =>
    entry === undefined ? 'its end' : `${entry.position}: ${entry.type} ${entry.status}`,
  );
  return `without a crash the log has ${before}, and with crashes ${after}`;
}

/**
 * What a second run of a scenario begins with. It has the engine of the first, which began on this build too: what is handed over
 * without one is taken for that of a run of long ago, which knows fewer options and compares otherwise.
 */
function carryAgain(
  runId: string,
  { firstExecutionId }: Pick<EndedRun, 'firstExecutionId'>,
  startedAt: number,
): Carry {
  return { ...newCarry(runId, firstExecutionId, startedAt), engine: newestEngine };
}

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
function errorText({ message, file, line }: RunError): string {
  return file === null || message.includes(`${file}:`) ? message : `${file}:${line ?? '?'}: ${message}`;
}
