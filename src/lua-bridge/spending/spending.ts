import type { Outcome } from '../../contract/checkpoint.js';
import type { Amounts } from '../../contract/budget.js';
import { isObject } from '../../contract/json.js';
import type { ModelCallResult } from '../../contract/model-call.js';
import type { Position } from '../../contract/position.js';
import { callCost, type Usage } from '../../contract/usage.js';
import type { Bridge } from '../kernel/bridge.js';
import { PerRun } from '../kernel/per-run.js';
import type { BudgetScope, Need, Shortage } from '../budgets/budget-scope.js';

interface Held {
  scopes: readonly BudgetScope[];
  need: Need;
}

/**
 * What calls under way may still take of budgets. A call holds what it is expected to take from when it is asked for until
 * it has its answer; a run that was started beside this one, until the procedure knows how it ended.
 */
export class Spending {
  private readonly calls = new Map<Position, Held>();
  private readonly runs = new Map<string, Held>();

  constructor(private readonly isUnderWay: (position: Position) => boolean) {}

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
  settle(position: Position, outcome: Outcome): void {
    const held = this.calls.get(position);
    if (held === undefined) return;
    this.calls.delete(position);
    const { usage, model } = usageOf(outcome);
    if (usage !== null) for (const scope of held.scopes) scope.charge(usage, model);
    // A run that was started and not waited for: its id is the answer.
    else if (outcome.ok && typeof outcome.value === 'string') this.runs.set(outcome.value, held);
  }

  /** The procedure knows how a run ended that it had started. */
  endRun(id: string, usage: Usage | undefined): void {
    const held = this.runs.get(id);
    if (held === undefined) return;
    this.runs.delete(id);
    if (usage !== undefined) for (const scope of held.scopes) scope.charge(usage, id);
  }

  /** Those that a branch had asked for which was given up take nothing any more. */
  private *underWay(): Generator<Held> {
    for (const [position, held] of this.calls)
      if (this.isUnderWay(position)) yield held;
      else this.calls.delete(position);
  }
}

export const spending = new PerRun(
  ({ scheduler }: Bridge) => new Spending((position) => scheduler.pending.has(position)),
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

/** What an answer cost: a model's says so itself, of others the outcome does. */
function usageOf({ usage, ...outcome }: Outcome): { usage: Usage | null; model: string } {
  if (usage !== undefined) return { usage, model: 'a model' };
  const value = outcome.ok ? outcome.value : null;
  if (!isObject(value) || !isObject(value['usage'] ?? null)) return { usage: null, model: '' };
  const { usage: call, model } = value as unknown as ModelCallResult;
  const { input_tokens, output_tokens } = call;
  return { usage: { input_tokens, output_tokens, cost_usd: callCost(call, model) }, model };
}
