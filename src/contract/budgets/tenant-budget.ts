import { closestPattern } from '../text/glob.js';

/** How long a budget of a tenant lasts: a full hour, day or month in UTC. */
export type BudgetPeriod = 'hour' | 'day' | 'month';
export const budgetPeriods: readonly BudgetPeriod[] = ['hour', 'day', 'month'];

/** What all runs of a tenant may use together in a period. Left out: any amount. */
export interface TenantBudget {
  costUsd?: number;
  /** Of models, input and output. */
  tokens?: number;
  modelCalls?: number;
  per: BudgetPeriod;
}

/** Budgets by fairness keys, with `*` for anything. Each tenant has its own. */
export type TenantBudgets = Readonly<Record<string, TenantBudget>>;

/** What runs of a tenant have used. */
export interface TenantUsage {
  costUsd: number;
  tokens: number;
  modelCalls: number;
  /** Of these, how many have no known price: `costUsd` is without them. */
  unpricedCalls: number;
}

export const noTenantUsage: TenantUsage = { costUsd: 0, tokens: 0, modelCalls: 0, unpricedCalls: 0 };

/** The budget of a tenant: by its own name, else by the longest pattern; null: it has none. */
export function budgetOfTenant(budgets: TenantBudgets, tenant: string): TenantBudget | null {
  const pattern = closestPattern(Object.keys(budgets), [tenant]);
  return (pattern === undefined ? undefined : budgets[pattern]) ?? null;
}

/** The period that a moment is in. Times are ms since 1970; `end` is the first ms after it. */
export function periodAt(per: BudgetPeriod, now: number): { start: number; end: number } {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (per === 'month') return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  if (per === 'day') return { start: Date.UTC(year, month, day), end: Date.UTC(year, month, day + 1) };
  const hour = date.getUTCHours();
  return { start: Date.UTC(year, month, day, hour), end: Date.UTC(year, month, day, hour + 1) };
}

/** What of a budget is used up, for people (`$20.03 of $20 each day`); null: nothing is. */
export function usedUpText({ per, ...budget }: TenantBudget, usage: TenantUsage): string | null {
  const { costUsd, tokens, modelCalls } = budget;
  if (costUsd !== undefined && usage.costUsd >= costUsd)
    return `$${usage.costUsd.toFixed(2)} of $${costUsd} each ${per}`;
  if (tokens !== undefined && usage.tokens >= tokens)
    return `${usage.tokens} of ${tokens} tokens each ${per}`;
  if (modelCalls !== undefined && usage.modelCalls >= modelCalls)
    return `${usage.modelCalls} of ${modelCalls} calls of models each ${per}`;
  return null;
}
