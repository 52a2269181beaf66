import { Context } from '@temporalio/activity';
import { setTimeout as delay } from 'node:timers/promises';
import {
  budgetOfTenant,
  noTenantUsage,
  periodAt,
  usedUpText,
  type TenantBudgets,
  type TenantUsage,
} from '../../contract/budgets/tenant-budget.js';
import { budgetHolder } from '../../contract/changes/hold.js';
import { callCost, type CallUsage } from '../../contract/models/model-call.js';

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

/** So long a call waits for the database, in ms: neither does it wait for one that is away, nor is its answer kept back. */
const databaseMs = 3_000;
/** So long it waits until its tenant is held, in ms. */
const holdMs = 15_000;

/** Thrown where the budget of a tenant is used up, and the tenant can't be held. */
export class TenantNotHeld extends Error {
  override readonly name = 'TenantNotHeld';
}

/**
 * The budgets of tenants, as one worker keeps them.
 *
 * Owns: what couldn't be counted yet.
 * Asks: the store of usage, for what all workers have counted; the holds of the namespace, to hold a tenant.
 * Invariants:
 *  1. What a provider was paid is counted by the worker that has the answer. If the database refuses it, it is counted with the next call, or
 *     at the end. An answer that another attempt reads again, after its worker died, is counted again.
 *  2. A tenant is held until its period ends, from the first call that finds its budget used up. Calls under way then end.
 *  3. One look at a tenant is under way at a time: many calls at once make one hold.
 *  4. A call waits for the database and for the hold for some seconds at most. Without the database it is made; where its tenant can't be held,
 *     it fails, to be tried again.
 */
export class TenantBudgetKeeper {
  private readonly uncounted = new Map<string, TenantUsage>();
  private readonly looking = new Map<string, Promise<boolean>>();
  private hasWarned = false;

  constructor(private readonly options: TenantBudgetsOptions) {}

  /**
   * Holds a tenant if its budget is used up.
   * @returns whether it was held
   * @throws TenantNotHeld
   */
  holdIfUsedUp(tenant: string): Promise<boolean> {
    const looking = this.looking.get(tenant) ?? this.look(tenant).finally(() => this.looking.delete(tenant));
    this.looking.set(tenant, looking);
    return looking;
  }

  /** Counts what a provider was paid for answers of a model. @param tenant left out: the run has none */
  async count(tenant: string | undefined, paid: readonly CallUsage[], model: string): Promise<void> {
    if (tenant === undefined || budgetOfTenant(this.options.budgets, tenant) === null) return;
    for (const usage of paid) {
      const cost = callCost(usage, model);
      this.keep(tenant, {
        costUsd: cost ?? 0,
        tokens: usage.input_tokens + usage.output_tokens,
        modelCalls: 1,
        unpricedCalls: cost === null ? 1 : 0,
      });
    }
    await this.patiently(this.store(tenant));
  }

  /** Counts what couldn't be counted so far: the worker ends. */
  async flush(): Promise<void> {
    const stored = Promise.all([...this.uncounted.keys()].map((tenant) => this.store(tenant)));
    await within(stored, databaseMs).catch(() => undefined);
  }

  private keep(tenant: string, usage: TenantUsage): void {
    this.uncounted.set(tenant, sum(this.uncounted.get(tenant) ?? noTenantUsage, usage));
  }

  /** What fails is kept, however late that is known: nothing is counted twice. */
  private async store(tenant: string): Promise<void> {
    const usage = this.uncounted.get(tenant);
    if (usage === undefined) return;
    this.uncounted.delete(tenant);
    try {
      await this.options.usage.add(tenant, usage, this.now());
    } catch (error) {
      this.keep(tenant, usage);
      throw error;
    }
  }

  private async look(tenant: string): Promise<boolean> {
    const budget = budgetOfTenant(this.options.budgets, tenant);
    if (budget === null) return false;
    const { start, end } = periodAt(budget.per, this.now());
    const counted = await this.patiently(this.options.usage.of(tenant, start, end));
    const used = sum(counted ?? noTenantUsage, this.uncounted.get(tenant) ?? noTenantUsage);
    const usedUp = usedUpText(budget, used);
    if (usedUp === null) return false;
    const reason = `the budget is used up: ${usedUp}`;
    try {
      // Whoever starts a run chooses its key: one with `*` would hold all tenants that it fits as a pattern.
      if (tenant.includes('*')) throw new Error('a fairness key with * is no target of a hold');
      await within(this.options.hold(tenant, { reason, by: budgetHolder, until: new Date(end) }), holdMs);
    } catch (error) {
      const { message } = error as Error;
      throw new TenantNotHeld(`tenant:${tenant}: ${reason}, and the tenant can't be held: ${message}`);
    }
    return true;
  }

  /** A call isn't refused because a database is away: an operator finds that in the log. @returns null where it is */
  private async patiently<T>(work: Promise<T>): Promise<T | null> {
    try {
      const found = await within(work, databaseMs);
      this.hasWarned = false;
      return found;
    } catch (error) {
      if (!this.hasWarned) {
        const { message } = error as Error;
        Context.current().log.warn(`The usage of tenants can't be counted: ${message}. Their calls are made`);
      }
      this.hasWarned = true;
      return null;
    }
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}

/** @throws Error where it takes longer */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const end = new AbortController();
  const late = delay(ms, undefined, { signal: end.signal }).then(() => {
    throw new Error(`no answer within ${ms / 1_000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    end.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
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
