import { Command } from 'commander';
import {
  budgetOfTenant,
  budgetPeriods,
  periodAt,
  type TenantBudget,
  type TenantBudgets,
  type TenantUsage,
} from '../../contract/budgets/tenant-budget.js';
import { tenantTarget } from '../../contract/changes/hold.js';
import { defined } from '../../contract/json/json.js';
import { openTenantUsage } from '../../read-model/open-run-index.js';
import type { TenantUsageStore } from '../../read-model/tenant-usage.js';
import { TactusError, act, exitCodes } from '../command.js';
import { configure, indexPlace } from '../configure.js';
import { withSession } from '../session.js';

/** What a tenant has used of its budget in the period that is now. */
interface TenantView {
  tenant: string;
  per: string;
  /** ISO 8601, UTC. */
  from: string;
  until: string;
  cost: number;
  tokens: number;
  model_calls: number;
  unpriced_calls: number;
  budget: { cost?: number; tokens?: number; model_calls?: number };
  is_held: boolean;
}

/** `tenants`: what all runs of each tenant have used of its budget. */
export function tenantsCommand(): Command {
  return new Command('tenants')
    .description('show what the runs of each tenant have used of its budget (tenant_budgets)')
    .action(
      act((context) =>
        withSession(context, async (session) => {
          const { tenantBudgets } = await configure(null, {}, context.screen);
          const place = indexPlace(session.embedded !== null);
          if (place === null)
            throw new TactusError(
              'usage',
              'There is no index for a server elsewhere, in which usage is counted: name one by index: in .tactus/config.yml, or by TACTUS_TEMPORAL_INDEX',
            );
          const store = await openTenantUsage(place);
          try {
            const held = await session.tactus.holds.list();
            const views = await tenantsNow(store, tenantBudgets, Date.now());
            const tenants = views.map((view): TenantView => ({
              ...view,
              is_held: held.some(({ target }) => target === tenantTarget + view.tenant),
            }));
            context.screen.answer({ tenants }, () => tenantsText(tenants));
            return exitCodes.done;
          } finally {
            await store.close();
          }
        }),
      ),
    );
}

/** @param now in ms since 1970 */
async function tenantsNow(
  store: Pick<TenantUsageStore, 'since'>,
  budgets: TenantBudgets,
  now: number,
): Promise<Omit<TenantView, 'is_held'>[]> {
  const views: Omit<TenantView, 'is_held'>[] = [];
  for (const per of budgetPeriods) {
    const { start, end } = periodAt(per, now);
    for (const [tenant, usage] of await store.since(start)) {
      const budget = budgetOfTenant(budgets, tenant);
      if (budget?.per !== per) continue;
      const [from, until] = [start, end].map((at) => new Date(at).toISOString());
      views.push({ tenant, per, from: from ?? '', until: until ?? '', ...usageView(usage, budget) });
    }
  }
  return views.sort((one, other) => (one.tenant < other.tenant ? -1 : 1));
}

function usageView(
  { costUsd, tokens, modelCalls, unpricedCalls }: TenantUsage,
  budget: TenantBudget,
): Pick<TenantView, 'cost' | 'tokens' | 'model_calls' | 'unpriced_calls' | 'budget'> {
  return {
    ...{ cost: costUsd, tokens, model_calls: modelCalls, unpriced_calls: unpricedCalls },
    budget: defined({ cost: budget.costUsd, tokens: budget.tokens, model_calls: budget.modelCalls }),
  };
}

function tenantsText(tenants: readonly TenantView[]): string {
  if (tenants.length === 0) return 'No tenant with a budget has used anything in its period';
  const of = (limit: number | undefined): string => (limit === undefined ? '' : ` of ${limit}`);
  return tenants
    .map(({ tenant, per, budget, ...used }) => {
      const held = used.is_held ? ', held' : '';
      const unpriced = used.unpriced_calls === 0 ? '' : ` (${used.unpriced_calls} without a known price)`;
      return [
        `${tenant}  this ${per}: $${used.cost.toFixed(4)}${of(budget.cost)}`,
        `${used.tokens}${of(budget.tokens)} tokens`,
        `${used.model_calls}${of(budget.model_calls)} calls of models${unpriced}${held}`,
      ].join(', ');
    })
    .join('\n');
}
