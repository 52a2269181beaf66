import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import {
  budgetOfTenant,
  noTenantUsage,
  periodAt,
  usedUpText,
  type TenantBudgets,
  type TenantUsage,
} from '../../contract/budgets/tenant-budget.js';
import { tenantNames } from '../../contract/changes/hold.js';
import { callCost, type CallUsage } from '../../contract/models/model-call.js';

/** Who holds a tenant whose budget is used up. */
const budgetHolder = 'tenant_budgets';
/** A tenant that can't be held is looked at again after this time, in ms. */
const againMs = 60_000;

export interface TenantBudgetsOptions {
  budgets: TenantBudgets;
  /** What all workers count together. */
  usage: {
    add(tenant: string, usage: TenantUsage, at: number): Promise<void>;
    of(tenant: string, start: number, end: number): Promise<TenantUsage>;
  };
  /** Holds all calls of a tenant; resolves when no worker begins one any more. */
  hold: (tenant: string, options: { reason: string; by: string; until: Date }) => Promise<unknown>;
  now?: () => number;
}

/**
 * The budgets of tenants, as one worker keeps them.
 *
 * Owns: what couldn't be counted yet.
 * Asks: the store of usage, for what all workers have counted; the holds of the namespace, to hold a tenant.
 * Invariants:
 *  1. What a provider was paid is counted once, by the worker that has the answer. If the database doesn't answer, it is counted with the
 *     next call, and no call fails for it.
 *  2. A tenant is held until its period ends, from the first call that finds its budget used up. Calls under way then end.
 *  3. One look at a tenant is under way at a time: many calls at once make one hold.
 */
export class TenantBudgetKeeper {
  private readonly uncounted = new Map<string, TenantUsage>();
  private readonly looking = new Map<string, Promise<boolean>>();
  private hasWarned = false;

  constructor(private readonly options: TenantBudgetsOptions) {}

  /** Holds the tenant of this run if its budget is used up. @returns whether it was held */
  holdIfUsedUp(): Promise<boolean> {
    const [tenant] = tenantNames(Context.current().info.priority);
    if (tenant === undefined) return Promise.resolve(false);
    const looking = this.looking.get(tenant) ?? this.look(tenant).finally(() => this.looking.delete(tenant));
    this.looking.set(tenant, looking);
    return looking;
  }

  /** Counts what a provider was paid for one answer, for the tenant of this run. */
  async count(usage: CallUsage, model: string): Promise<void> {
    const [tenant] = tenantNames(Context.current().info.priority);
    if (tenant === undefined || budgetOfTenant(this.options.budgets, tenant) === null) return;
    const cost = callCost(usage, model);
    const added = sum(this.uncounted.get(tenant) ?? noTenantUsage, {
      costUsd: cost ?? 0,
      tokens: usage.input_tokens + usage.output_tokens,
      modelCalls: 1,
      unpricedCalls: cost === null ? 1 : 0,
    });
    this.uncounted.delete(tenant);
    await this.withStore(
      () => this.options.usage.add(tenant, added, this.now()),
      () => this.uncounted.set(tenant, sum(this.uncounted.get(tenant) ?? noTenantUsage, added)),
    );
  }

  private async look(tenant: string): Promise<boolean> {
    const budget = budgetOfTenant(this.options.budgets, tenant);
    if (budget === null) return false;
    const { start, end } = periodAt(budget.per, this.now());
    let counted = noTenantUsage;
    await this.withStore(async () => {
      counted = await this.options.usage.of(tenant, start, end);
    });
    const usedUp = usedUpText(budget, sum(counted, this.uncounted.get(tenant) ?? noTenantUsage));
    if (usedUp === null) return false;
    const reason = `the budget is used up: ${usedUp}`;
    const until = new Date(end);
    await this.hold(tenant, { reason, by: budgetHolder, until }).catch((error: Error) => {
      // As where there are too many holds: the call waits all the same, by attempts.
      throw ApplicationFailure.create({
        ...{ type: 'budget_exhausted', nextRetryDelay: againMs },
        message: `tenant:${tenant}: ${reason}, and the tenant can't be held: ${error.message}`,
      });
    });
    return true;
  }

  /** A key with `*` would hold the tenants that it fits as a pattern: whoever starts a run chooses its key. */
  private async hold(...[tenant, options]: Parameters<TenantBudgetsOptions['hold']>): Promise<void> {
    if (tenant.includes('*')) throw new Error('a fairness key with * is no target of a hold');
    await this.options.hold(tenant, options);
  }

  /** A call isn't refused because a database is away: an operator finds that in the log. */
  private async withStore(work: () => Promise<void>, onFailure: () => unknown = () => undefined): Promise<void> {
    try {
      await work();
      this.hasWarned = false;
    } catch (error) {
      onFailure();
      if (this.hasWarned) return;
      this.hasWarned = true;
      const { message } = error as Error;
      Context.current().log.warn(`The usage of tenants can't be counted: ${message}. Their calls are made`);
    }
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}

function sum(one: TenantUsage, other: TenantUsage): TenantUsage {
  return {
    costUsd: one.costUsd + other.costUsd,
    tokens: one.tokens + other.tokens,
    modelCalls: one.modelCalls + other.modelCalls,
    unpricedCalls: one.unpricedCalls + other.unpricedCalls,
  };
}
