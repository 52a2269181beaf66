import {
  leastOf,
  readBudget,
  type Amounts,
  type Budget,
  type BudgetUse,
} from '../../contract/budgets/budget.js';
import { usageOfAnswer } from '../../contract/budgets/usage-of-answer.js';
import {
  BudgetScope,
  currentFrame,
  PerRun,
  type Bridge,
  type LuaState,
  type Need,
  type Shortage,
} from '../kernel/index.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { Holds } from '../../contract/engine.js';
import { getOwn, type JsonValue } from '../../contract/json/json.js';
import type { Checkpoint, Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import type { RunUsage, Spent } from '../../contract/models/model-call.js';

/** Budgets that bound the run from pass to pass, by whose they are. */
export const lastingBudgets = new PerRun(() => new Map<string, BudgetScope>(), 'elsewhere');

/** What the pass before, or a snapshot, has left of budgets that are yet to be declared. */
export const budgetsBefore = new PerRun(
  ({ run }): { left: Record<string, BudgetUse> } => ({ left: run.pass?.budgets ?? {} }),
  'elsewhere',
);

/** One of them, as the pass before left it. @param of its key in every pass */
export function lasting(bridge: Bridge, of: string, scope: BudgetScope): BudgetScope {
  lastingBudgets.of(bridge).set(of, scope);
  const before = getOwn(budgetsBefore.of(bridge).left, of);
  return before === undefined ? scope : scope.goOnWith(before);
}

/** What whoever has started the run lets it use, and the ceiling on its calls of models: beyond that a person is asked. */
export function runBudgets(bridge: Bridge): BudgetScope[] {
  const { run, holds } = bridge;
  const { budget, modelCalls = 0 } = run.settings;
  const isBounded = budget !== undefined && holds('budgets');
  if (holds('calls-of-children'))
    return [
      ...(isBounded ? [lasting(bridge, 'run', new BudgetScope('the run', budget, run.startedAt))] : []),
      lasting(bridge, 'ceiling', ceilingOf(run, budget?.modelCalls)),
    ];
  const hasCeiling = modelCalls > 0 && holds('model-call-ceiling');
  return [
    ...(isBounded ? [new BudgetScope('the run', budget, run.startedAt)] : []),
    ...(hasCeiling ? [new BudgetScope('the run', { modelCalls }, run.startedAt, true)] : []),
  ];
}

/**
 * The ceiling, which counts calls also where it bounds nothing: the runs above have to know of them. Where the run's budget says how many
 * calls there may be, nobody is asked twice for the same.
 */
function ceilingOf(
  { settings: { modelCalls = 0 }, callsBefore, startedAt }: Bridge['run'],
  budgeted: number | undefined,
): BudgetScope {
  const { used = 0, refusal } = callsBefore ?? {};
  const isReplaced = budgeted !== undefined && (callsBefore === null || budgeted <= modelCalls - used);
  const limits = modelCalls === 0 || isReplaced ? {} : { modelCalls };
  const scope = new BudgetScope('the run', limits, startedAt, true, used);
  if (refusal !== undefined) scope.refuse('modelCalls', refusal);
  return scope;
}

/** Those around, and one more; null: there is no more. */
export function within(
  bridge: Bridge,
  L: LuaState,
  name: string,
  budget: Budget | null,
): readonly BudgetScope[] {
  const { budgets } = currentFrame(L).scope;
  return budget === null ? budgets : [...budgets, new BudgetScope(name, budget, bridge.now())];
}

/** What is left of all of those around: the least of each. */
export function leftOf(bridge: Bridge, L: LuaState): Amounts {
  return writtenBudgets(L)
    .map((scope) => scope.left(bridge.now()))
    .reduce(leastOf, {});
}

/** Those around that somebody has written, the innermost last. */
export function writtenBudgets(L: LuaState): BudgetScope[] {
  return currentFrame(L).scope.budgets.filter(({ isCeiling }) => !isCeiling);
}

/** That of the run. */
export function ceilingAround(L: LuaState): BudgetScope | undefined {
  return currentFrame(L).scope.budgets.find(({ isCeiling }) => isCeiling);
}

/**
 * What a table has as its `budget`; null where it has none, and in runs of before there were budgets.
 * @throws TactusError naming the field
 */
export function budgetOf(
  { holds }: Bridge,
  given: JsonValue | undefined,
  what: string,
  code: ErrorCode = 'source_invalid',
): Budget | null {
  return given === undefined || given === null || !holds('budgets')
    ? null
    : readBudget(given, `${what}: budget`, code);
}

interface Held {
  scopes: readonly BudgetScope[];
  need: Need;
}

/**
 * What calls under way may still take of budgets.
 *
 * Owns: the amounts that are held for calls and for runs that were started beside this one.
 * Asks: the scheduler whether an effect is still waited for. `BudgetScope` keeps what was used.
 * Invariants:
 *  1. A call holds its amount from its asking until its answer. A run that was started beside this one holds it until the
 *     procedure knows how it ended.
 *  2. A position is held as a call, as a run, or as given up, and never as two of them.
 *  3. What was given up takes nothing of a budget any more. What it used is charged when it becomes known.
 */
class Spending {
  private readonly calls = new Map<Position, Held>();
  private readonly runs = new Map<string, Held & { position: Position }>();
  /** Nobody waits for these any more: what they took may become known later. */
  private readonly givenUp = new Map<Position, Held>();

  constructor(
    private readonly isUnderWay: (position: Position) => boolean,
    private readonly holds: Holds,
  ) {}

  hold(position: Position, held: Held): void {
    this.calls.set(position, held);
  }

  /** The first thing that there is too little of in one of the budgets; null: there is enough. */
  shortOf(scopes: readonly BudgetScope[], need: Need, now: number): Shortage | null {
    for (const scope of scopes) {
      const ofRuns = sum(scope, this.runs.values());
      const withRuns = { ...need, ...plus(need, ofRuns) };
      // What a run beside this one holds it may hold for good: that isn't waited for.
      const short = scope.shortOf(withRuns, sum(scope, this.underWay()), now);
      if (short !== null) return short;
    }
    return null;
  }

  /** An effect has its answer. */
  settle({ position, outcome }: Pick<Checkpoint, 'position' | 'outcome'>): void {
    for (const spent of outcome.spent ?? []) this.spend(spent);
    const held = this.calls.get(position);
    if (held === undefined) return;
    this.calls.delete(position);
    const saysUsage = held.need.isCall === true || !this.holds('all-usage');
    const { usage, model } = usageOfAnswer(outcome, saysUsage);
    if (usage !== null) for (const scope of held.scopes) scope.charge(usage, model);
    // A run that was started and not waited for: its id is the answer.
    else if (outcome.ok && typeof outcome.value === 'string')
      this.runs.set(outcome.value, { ...held, position });
  }

  /** The procedure knows how a run ended that it had started. */
  endRun(id: string, usage: RunUsage | undefined): void {
    const held = this.runs.get(id);
    if (held === undefined) return;
    this.runs.delete(id);
    if (usage === undefined) this.givenUp.set(held.position, held);
    else for (const scope of held.scopes) scope.charge(usage, id);
  }

  /** Whether budgets are to count what was used for the effect at this position. */
  isHeld(position: Position): boolean {
    return this.heldAt(position) !== undefined;
  }

  /** How many calls and runs hold something of a budget: all are looked at for the next one. */
  get count(): number {
    return this.calls.size + this.runs.size;
  }

  /** Nothing is under way that budgets wait to count. */
  get isAtRest(): boolean {
    return this.runs.size === 0;
  }

  /** A snapshot is gone on with, which was taken at rest. */
  rest(): void {
    this.calls.clear();
    this.runs.clear();
    this.givenUp.clear();
  }

  /** What was used for an answer that nobody waits for any more; null: budgets are to count nothing. */
  unwanted(position: Position, outcome: Outcome): Spent | null {
    const held = this.heldAt(position);
    const { usage } = usageOfAnswer(outcome, held?.need.isCall === true);
    return held === undefined || usage === null ? null : { position, usage };
  }

  private spend({ position, usage, again }: Spent): void {
    for (const scope of this.heldAt(position)?.scopes ?? []) scope.charge(usage, position);
    if (again === true) return;
    this.calls.delete(position);
    this.givenUp.delete(position);
  }

  private heldAt(position: Position): Held | undefined {
    return (
      this.calls.get(position) ??
      this.givenUp.get(position) ??
      [...this.runs.values()].find((held) => held.position === position)
    );
  }

  /** Those that a branch had asked for which was given up take nothing any more. */
  private *underWay(): Generator<Held> {
    for (const [position, held] of this.calls)
      if (this.isUnderWay(position)) yield held;
      else {
        this.calls.delete(position);
        this.givenUp.set(position, held);
      }
  }
}

export const spending = new PerRun(
  ({ scheduler, holds }: Bridge) =>
    new Spending((position) => scheduler.awaited.pending.has(position), holds),
  'elsewhere',
);

const estimated = ['tokens', 'costUsd'] as const;

function sum(scope: BudgetScope, all: Iterable<Held>): Amounts {
  let total: Amounts = {};
  for (const { scopes, need } of all) if (scopes.includes(scope)) total = plus(total, need);
  return total;
}

function plus(one: Amounts, other: Amounts): Amounts {
  const total: Amounts = {};
  for (const measure of estimated)
    if (one[measure] !== undefined || other[measure] !== undefined)
      total[measure] = (one[measure] ?? 0) + (other[measure] ?? 0);
  return total;
}
