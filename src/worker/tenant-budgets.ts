import { getClient } from '@temporalio/activity';
import { TenantBudgetKeeper } from '../activities/index.js';
import { HeldTargets } from '../client/index.js';
import { tenantTarget } from '../contract/changes/hold.js';
import type { TenantBudgets } from '../contract/budgets/tenant-budget.js';
import { TactusError } from '../contract/errors.js';
import { openTenantUsage } from '../read-model/open-run-index.js';

/** What has budgets, and where it is counted. */
export interface TenantBudgetPlaces {
  tenantBudgets: TenantBudgets;
  /** Where usage is counted: the database of the index of runs. */
  index: string | null;
  /** That of the runs: a worker there keeps the holds. */
  taskQueue: string;
}

/**
 * Opens what counts the usage of tenants and holds those whose budget is used up; null: no tenant has a budget.
 * @throws TactusError config_invalid where there is no index
 */
export async function openTenantBudgets({
  tenantBudgets: budgets,
  index,
  taskQueue,
}: TenantBudgetPlaces): Promise<{ keeper: TenantBudgetKeeper; close: () => Promise<void> } | null> {
  if (Object.keys(budgets).length === 0) return null;
  if (index === null)
    throw new TactusError(
      'config_invalid',
      'tenant_budgets needs an index, in which all workers count: name one by index: in .tactus/config.yml, or by TACTUS_TEMPORAL_INDEX',
    );
  const usage = await openTenantUsage(index);
  const keeper = new TenantBudgetKeeper({
    budgets,
    usage,
    hold: (tenant, options) =>
      new HeldTargets(getClient(), taskQueue).add(`${tenantTarget}${tenant}`, options),
  });
  return {
    keeper,
    close: async () => {
      await keeper.flush();
      await usage.close();
    },
  };
}
