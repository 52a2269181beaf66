import { TactusError, type ErrorCode } from '../errors.js';
import { defined, isObject, type JsonValue } from '../json/json.js';
import { readDuration } from '../time/duration.js';

/** What is counted. */
export type BudgetMeasure = 'tokens' | 'costUsd' | 'turns' | 'modelCalls' | 'toolCalls' | 'timeMs';
/** In the order in which it is looked at. */
export const budgetMeasures: readonly BudgetMeasure[] = [
  'tokens',
  'costUsd',
  'turns',
  'modelCalls',
  'toolCalls',
  'timeMs',
];

/** So much of each. */
export type Amounts = Partial<Record<BudgetMeasure, number>>;

/** What becomes of what would go beyond a budget. */
export type BudgetEnd = 'ask' | 'stop' | 'error';
/** The laxest first. */
const budgetEnds: readonly BudgetEnd[] = ['ask', 'stop', 'error'];

/**
 * What a run, or a part of it, may use. Of what is left out there may be as much as there comes: `tokens` of models, read and written;
 * `costUsd` in US dollars; `turns` of agents; `modelCalls`; `toolCalls`; `timeMs` since it began.
 */
export interface Budget extends Amounts {
  /** Left out: `ask`, a person is asked for more. */
  onExhausted?: BudgetEnd;
  /** Who may give more; left out: anyone. */
  approvers?: string[];
}

/** The ceiling on calls of models of a run, as the runs that it starts have it. */
export interface CallCeiling {
  /** 0: there is none. */
  limit: number;
  /** So many calls have been made when they begin. */
  used: number;
  /** Who has given no more, for the message; left out: nobody was asked, or they gave. */
  refusal?: string;
}

/** Calls that a run has made, with those of the runs that it started. */
export interface CallsUsed {
  /** Of models. */
  used: number;
  /** Of agents; left out: an older worker doesn't tell. */
  turns?: number;
  /** Of tools; left out likewise. */
  toolCalls?: number;
  /** So many more than its ceiling people have given it; null: as many as it likes. */
  granted: number | null;
  /** Who has given no more, for the message; left out: nobody was asked, or they gave. */
  refusal?: string;
}

/** Whether what a run was told is one. */
export function isCallsUsed(given: unknown): given is CallsUsed {
  const { used, turns = 0, toolCalls = 0, granted, refusal } = (given ?? {}) as Record<string, unknown>;
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
  return (
    [used, turns, toolCalls].every(isCount) &&
    (granted === null || isCount(granted)) &&
    (refusal === undefined || typeof refusal === 'string')
  );
}

/** What was used of a budget, and what people said of it, as another pass of the run goes on with it. */
export interface BudgetUse {
  /** In ms since 1970. */
  startedAt: number;
  /** With what people gave. */
  limits: Amounts;
  used: Required<Amounts>;
  /** The model whose price isn't known. */
  unpriced: string | null;
  /** Who gave no more, by what of. */
  refusals: Partial<Record<BudgetMeasure, string>>;
}

/** How a budget stands, as `status --json` shows it. */
export interface BudgetView {
  /** Whose it is: the run, a procedure, an agent, a branch. */
  of: string;
  on_exhausted: BudgetEnd;
  limits: Record<string, number>;
  used: Record<string, number>;
}

/** As authors, configuration and people spell what is counted. */
export const measureNames: Readonly<Record<BudgetMeasure, string>> = {
  tokens: 'tokens',
  costUsd: 'cost',
  turns: 'turns',
  modelCalls: 'model_calls',
  toolCalls: 'tool_calls',
  timeMs: 'time',
};

/** Whether a client, in whatever language, has given a budget of ours. */
export function isBudget(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const { onExhausted, approvers, ...amounts } = value;
  return (
    Object.entries(amounts).every(
      ([name, amount]) =>
        (budgetMeasures as readonly string[]).includes(name) && typeof amount === 'number' && amount >= 0,
    ) &&
    (onExhausted === undefined || (budgetEnds as readonly JsonValue[]).includes(onExhausted)) &&
    (approvers === undefined ||
      (Array.isArray(approvers) && approvers.every((each) => typeof each === 'string')))
  );
}

/** What keeps to both. */
export function stricterBudget(one: Budget, other: Budget): Budget {
  const ends = [one.onExhausted, other.onExhausted].flatMap((end) => (end === undefined ? [] : [end]));
  const strictest = ends.sort((a, b) => budgetEnds.indexOf(b) - budgetEnds.indexOf(a))[0];
  const approvers = other.approvers ?? one.approvers;
  return {
    ...leastOf(one, other),
    ...defined({ onExhausted: strictest, approvers }),
  };
}

/** Of each the smaller amount. */
export function leastOf(one: Amounts, other: Amounts): Amounts {
  const least: Amounts = {};
  for (const measure of budgetMeasures) {
    const amounts = [one[measure], other[measure]].filter((each) => each !== undefined);
    if (amounts.length > 0) least[measure] = Math.min(...amounts);
  }
  return least;
}

const otherFields = ['on_exhausted', 'approvers'];
const fields = [...budgetMeasures.map((measure) => measureNames[measure]), ...otherFields];

/**
 * Reads `{tokens = 50000, cost = 2.5, turns = 20, tool_calls = 50, time = "30m", on_exhausted = "ask", approvers = {…}}`.
 * @param where what stands before the problem in the error: `Agent "writer": budget`
 * @throws TactusError of that code naming the field
 */
export function readBudget(given: JsonValue, where: string, code: ErrorCode): Budget {
  const wrong = (problem: string): TactusError => new TactusError(code, `${where} ${problem}`);
  if (!isObject(given)) throw wrong(`must be a table of ${fields.join(', ')}`);
  const unknown = Object.keys(given).find((key) => !fields.includes(key));
  if (unknown !== undefined) throw wrong(`has the unknown field ${unknown}; there are ${fields.join(', ')}`);
  const budget: Budget = {};
  for (const measure of budgetMeasures) {
    const name = measureNames[measure];
    const amount = given[name] ?? null;
    if (amount !== null) budget[measure] = readAmount(amount, measure, `${where}.${name}`, code);
  }
  if (Object.keys(budget).length === 0) throw wrong('bounds nothing: write tokens = 50000, or cost = 2.5');
  const end = given['on_exhausted'] ?? null;
  const known = budgetEnds.find((each) => each === end);
  if (end !== null && known === undefined)
    throw wrong(`: on_exhausted must be one of ${budgetEnds.join(', ')}, got ${JSON.stringify(end)}`);
  if (known !== undefined) budget.onExhausted = known;
  const approvers = given['approvers'] ?? null;
  if (approvers !== null) {
    const names = [approvers].flat();
    if (!names.every((name): name is string => typeof name === 'string' && name !== ''))
      throw wrong(': approvers must be a list of names');
    budget.approvers = names;
  }
  return budget;
}

function readAmount(given: JsonValue, measure: BudgetMeasure, where: string, code: ErrorCode): number {
  if (measure === 'timeMs') return readDuration(given, where, code);
  const isWhole = measure !== 'costUsd';
  if (typeof given === 'number' && given >= 0 && (!isWhole || Number.isInteger(given))) return given;
  const wanted = isWhole ? 'a whole number' : 'an amount of US dollars';
  throw new TactusError(code, `${where} must be ${wanted}, got ${JSON.stringify(given)}`);
}

const measureUnits: Readonly<Record<string, string>> = {
  cost: 'US dollars',
  time: 'seconds',
  tool_calls: 'calls of tools',
};

/** How a budget stands, in one line: `budget of the run: 1200 of 5000 tokens, 3 of 20 turns`. */
export function budgetText({ of, limits, used }: BudgetView): string {
  const amounts = Object.entries(limits).map(
    ([name, limit]) => `${used[name] ?? 0} of ${limit} ${measureUnits[name] ?? name}`,
  );
  return `budget of ${of}: ${amounts.length === 0 ? 'no limits are left' : amounts.join(', ')}`;
}
