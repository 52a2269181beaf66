import { TactusError } from '../errors.js';
import { getOwn, isObject, type JsonValue } from '../json/json.js';

/** The plan of a session, as WINK 0.14 has it: `weakincentives.contrib.tools.planning:Plan`. */
export interface Plan {
  objective: string;
  /** `completed` as soon as all steps are done. */
  status: 'active' | 'completed';
  steps: PlanStep[];
}

export interface PlanStep {
  /** From 1; a number is never given to two steps. */
  step_id: number;
  title: string;
  status: StepStatus;
}

export const stepStatuses = ['pending', 'in_progress', 'done'] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** A change of a plan. */
export type PlanChange =
  | { action: 'setup'; objective: string; initial_steps: string[] }
  | { action: 'add'; steps: string[] }
  | { action: 'update'; step_id: number; title: string | null; status: StepStatus | null };

/** What a change gives, or a look at the plan: WINK's text, and the plan. */
export interface PlanResult {
  message: string;
  plan: Plan;
}

/** Most characters of an objective or a title, as in WINK. */
const mostCharacters = 500;

/**
 * Makes the plan that a change leads to. The texts are WINK's.
 * @throws TactusError plan_invalid
 */
export function changePlan(current: Plan | null, change: PlanChange): PlanResult {
  switch (change.action) {
    case 'setup':
      return setUp(change.objective, change.initial_steps);
    case 'add':
      return addSteps(activePlan(current), change.steps);
    case 'update':
      return updateStep(activePlan(current), change);
  }
}

/** @throws TactusError plan_invalid where there is no plan */
export function readPlan(current: Plan | null): PlanResult {
  const plan = requiredPlan(current);
  const count = plan.steps.length;
  return {
    message:
      count === 0
        ? 'Retrieved the current plan (no steps recorded).'
        : `Retrieved the current plan with ${steps(count)}.`,
    plan,
  };
}

function setUp(objective: string, initial: readonly string[]): PlanResult {
  const plan: Plan = { objective: normalized(objective, 'Objective'), status: 'active', steps: [] };
  plan.steps = initial.map((title, i) => newStep(i + 1, normalized(title, 'Title')));
  return { message: `Plan initialised with ${steps(initial.length)}.`, plan };
}

function addSteps(plan: Plan, titles: readonly string[]): PlanResult {
  const added = titles.map((title) => normalized(title, 'Title'));
  if (added.length === 0) throw invalid('Provide at least one step to add.');
  const next = plan.steps.reduce((most, { step_id: id }) => Math.max(most, id), 0) + 1;
  return {
    message: `Added ${steps(added.length)}.`,
    plan: { ...plan, steps: [...plan.steps, ...added.map((title, i) => newStep(next + i, title))] },
  };
}

function updateStep(
  plan: Plan,
  { step_id: id, title, status }: Extract<PlanChange, { action: 'update' }>,
): PlanResult {
  const newTitle = title === null ? null : normalized(title, 'Title');
  if (newTitle === null && status === null) throw invalid('Provide a new title or status to update a step.');
  if (!plan.steps.some((step) => step.step_id === id)) throw invalid(`Step ${id} does not exist.`);
  const changed = plan.steps.map((step) =>
    step.step_id === id ? { ...step, title: newTitle ?? step.title, status: status ?? step.status } : step,
  );
  const isDone = changed.every((step) => step.status === 'done');
  return {
    message: `Step ${id} updated.`,
    plan: { ...plan, status: isDone ? 'completed' : 'active', steps: changed },
  };
}

function newStep(id: number, title: string): PlanStep {
  return { step_id: id, title, status: 'pending' };
}

function steps(count: number): string {
  return `${count} step${count === 1 ? '' : 's'}`;
}

/**
 * What Python's `str.strip` takes away, so that a plan has the titles that WINK gives it. JavaScript's `trim` takes U+FEFF too, and leaves
 * the separators of files, groups, records and units, and the next line.
 */
const blanks = '\\t-\\r\\x1c-\\x1f \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const blank = new RegExp(`[${blanks}]`);

function stripped(text: string): string {
  let begin = 0;
  let end = text.length;
  while (begin < end && blank.test(text.charAt(begin))) begin++;
  while (end > begin && blank.test(text.charAt(end - 1))) end--;
  return text.slice(begin, end);
}

function normalized(given: string, field: 'Objective' | 'Title'): string {
  const text = stripped(given);
  if (text === '') throw invalid(`${field} must not be empty.`);
  if ([...text].length > mostCharacters) throw invalid(`${field} must be <= ${mostCharacters} characters.`);
  return text;
}

function requiredPlan(plan: Plan | null): Plan {
  if (plan === null) throw invalid('No plan is currently initialised.');
  return plan;
}

function activePlan(current: Plan | null): Plan {
  const plan = requiredPlan(current);
  if (plan.status !== 'active') throw invalid(`Plan must be active. Current status: ${plan.status}.`);
  return plan;
}

function invalid(message: string): TactusError {
  return new TactusError('plan_invalid', message);
}

/** A plan as a model reads it: WINK's own rendering. */
export function planText({ objective, status, steps: all }: Plan): string {
  const listed = all.map((step) => `${step.step_id} [${step.status}] ${step.title}`);
  return [
    `Objective: ${objective}`,
    `Status: ${status}`,
    '',
    ...(listed.length === 0 ? ['<no steps>'] : listed),
  ].join('\n');
}

/** The section of a prompt that says how far a plan is, in Markdown. It is the same for a new run and for one that goes on. */
export function planProgress(plan: Plan | null): string {
  if (plan === null) return 'No progress yet. Create a plan to get started.';
  const lines = [`**Objective**: ${plan.objective}`, ''];
  const completed = plan.steps.filter(({ status }) => status === 'done');
  const remaining = plan.steps.filter(({ status }) => status !== 'done');
  if (completed.length > 0) lines.push('**Completed:**', ...completed.map(({ title }) => `- ✓ ${title}`), '');
  if (remaining.length > 0)
    lines.push('**Remaining:**', ...remaining.map(({ title, status }) => `- ${title} (${status})`));
  return lines.join('\n');
}

/** The value as a plan; null where it is none. */
export function asPlan(value: JsonValue): Plan | null {
  if (!isObject(value)) return null;
  const { objective, status, steps: given = [] } = value;
  if (typeof objective !== 'string' || !Array.isArray(given)) return null;
  if (status !== 'active' && status !== 'completed') return null;
  const all = given.map(asStep);
  return all.every((step) => step !== null) ? { objective, status, steps: all } : null;
}

function asStep(value: JsonValue): PlanStep | null {
  if (!isObject(value)) return null;
  const id = getOwn(value, 'step_id');
  const { title } = value;
  const status = stepStatuses.find((each) => each === value['status']);
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || typeof title !== 'string') return null;
  return status === undefined ? null : { step_id: id, title, status };
}
