import type { JsonObject } from '../../contract/json/json.js';
import type { ScenarioStep } from '../../contract/specifications/scenario.js';
import type { Scenario } from './feature.js';
import { expectsFailure, matchStep, type MatchedStep } from './match-step.js';
import { StepProblem, type Plan } from './step-definition.js';

/** A scenario that is ready to run. */
export interface PlannedScenario {
  scenario: Scenario;
  /** As many as the scenario has steps. */
  matched: MatchedStep[];
  plan: Plan;
  /** What the run does. */
  steps: ScenarioStep[];
  /** For each of them, which step of the scenario it is; null: none, the procedure runs although no step says so. */
  stepOf: (number | null)[];
  /** A step that makes no sense. */
  problem: { step: number; message: string } | null;
}

/**
 * Makes of a scenario's steps what its run is started with. `standIns` are given for input that no step tells of, unless
 * the procedure is to fail: it may be for the lack of it.
 */
export function planScenario(
  scenario: Scenario,
  own: readonly { pattern: string }[],
  options: { mock: boolean; input: JsonObject },
  standIns: JsonObject = {},
): PlannedScenario {
  const plan: Plan = {
    input: { ...options.input },
    files: {},
    mock: { all: options.mock, agents: {}, results: {}, people: [] },
    task: null,
    message: null,
  };
  const planned: PlannedScenario = { scenario, matched: [], plan, steps: [], stepOf: [], problem: null };
  for (const [index, text] of scenario.steps.entries()) {
    try {
      const matched = matchStep(text, own);
      planned.matched.push(matched);
      add(planned, matched, index);
    } catch (error) {
      if (!(error instanceof StepProblem)) throw error;
      planned.problem ??= { step: index, message: error.message };
    }
  }
  if (!planned.matched.some(expectsFailure)) plan.input = { ...standIns, ...plan.input };
  return planned;
}

function add(planned: PlannedScenario, matched: MatchedStep, index: number): void {
  const { plan, steps, stepOf } = planned;
  const hasRun = steps.some(({ kind }) => kind === 'run');
  const push = (step: ScenarioStep, of: number | null): void => {
    steps.push(step);
    stepOf.push(of);
  };
  if (matched.kind === 'own') push({ kind: 'own', step: matched.step, captures: matched.captures }, index);
  if (matched.kind !== 'built-in') return;
  const { definition, captures } = matched;
  // After a step that says that it runs, what is prepared comes too late.
  const saidToRun = planned.matched.slice(0, index).some(saysToRun);
  if (definition.kind === 'arrange') {
    const { tooLate, arrange } = definition;
    if (tooLate !== undefined && hasRun) throw new StepProblem(tooLate);
    if (!saidToRun) arrange(plan, ...captures);
  }
  if (definition.kind === 'run') {
    const [task = null] = captures;
    if (saidToRun && task !== plan.task)
      throw new StepProblem('a scenario runs one thing, once: write another scenario for this');
    plan.task = task;
    // A procedure runs once, and before anything is looked at.
    if (!hasRun) push({ kind: 'run' }, index);
  }
  if ((definition.kind === 'look' || definition.kind === 'ask') && !hasRun) push({ kind: 'run' }, null);
}

function saysToRun(step: MatchedStep): boolean {
  return step.kind === 'built-in' && step.definition.kind === 'run';
}
