import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type {
  CallToolInput,
  HoldableInput,
  ModelBatchInput,
  ModelCallInput,
  TactusActivities,
} from '../../contract/activities.js';
import { heldType, holdText, holdView, type Hold, type HoldSubjects } from '../../contract/changes/hold.js';
import type { Environment } from '../../contract/environment.js';
import { toolNames } from '../../contract/tools/outside-tool.js';
import { checkModel } from '../models/providers/index.js';
import { TenantNotHeld, type TenantBudgetKeeper } from '../budgets/tenant-budgets.js';
import { passedBefore } from '../retries/failures.js';
import { AttemptNotes, heartbeatPassed, withHeartbeat } from '../retries/heartbeat.js';

/** The hold that a call waits for; null: it may be made. `released`: holds that have let it go. */
export type HoldFinder = (subjects: HoldSubjects, released: readonly string[]) => Promise<Hold | null>;

interface HeldCalls {
  env: Environment;
  findHold: HoldFinder;
  /** Left out: tenants have no budgets. */
  tenantBudgets: TenantBudgetKeeper | undefined;
}

type Perform = (input: HoldableInput) => Promise<unknown>;

/**
 * The same activities. One whose call is held fails before anything is asked or counted, and the run begins it anew when it is let go. What
 * a provider already works at goes on.
 */
export function withHolds(activities: TactusActivities, use: HeldCalls): TactusActivities {
  const entries = Object.entries(activities) as [keyof TactusActivities, Perform][];
  const held = entries.map(([name, perform]) => [
    name,
    async (input: HoldableInput | undefined) => {
      if (typeof input?.holds === 'object') await refuseHeld(name, input, use);
      return perform(input as HoldableInput);
    },
  ]);
  return Object.fromEntries(held) as TactusActivities;
}

/** @throws ApplicationFailure of the type `held` */
async function refuseHeld(
  name: keyof TactusActivities,
  input: HoldableInput,
  { env, findHold, tenantBudgets }: HeldCalls,
): Promise<void> {
  const { info, log } = Context.current();
  const { spent, responseId } = new AttemptNotes();
  // A second attempt at a batch looks for the one that the first may have begun.
  if (responseId !== null || (name === 'modelBatch' && info.attempt > 1)) return;
  const { procedure = '', tenant, released = [], isTenantReleased = false } = input.holds ?? {};
  const subjects = {
    ...subjectsOf(name, input, env),
    ...{ procedure: [procedure], tenant: [tenant], queue: [info.taskQueue] },
  };
  const costs = spent === null ? {} : { spent };
  let hold = await findHold(subjects, released);
  // A call that a release of its tenant has let go is made, whatever the budget says.
  if (hold === null && !isTenantReleased && modelActivities.includes(name)) {
    const isHeld = await holdByBudget(tenantBudgets, tenant, costs);
    if (isHeld) hold = await findHold(subjects, released);
  }
  if (hold === null) return;
  const message = holdText(holdView(hold, 0));
  log.info(`A call waits: ${message}`);
  throw ApplicationFailure.create({
    ...{ type: heldType, message, nonRetryable: true, category: ApplicationFailureCategory.BENIGN },
    details: [{ hold, ...costs }],
  });
}

/** A tenant that can't be held is looked at again after this time, in ms. */
const againMs = 60_000;

/** @throws ApplicationFailure of the type `budget_exhausted`, to be tried again, where the tenant can't be held */
async function holdByBudget(
  keeper: TenantBudgetKeeper | undefined,
  tenant: string | undefined,
  costs: object,
): Promise<boolean> {
  if (keeper === undefined || tenant === undefined) return false;
  try {
    return await withHeartbeat(() => keeper.holdIfUsedUp(tenant));
  } catch (error) {
    if (!(error instanceof TenantNotHeld)) throw error;
    heartbeatPassed(passedBefore() + 1);
    throw ApplicationFailure.create({
      ...{ type: 'budget_exhausted', message: error.message, nextRetryDelay: againMs },
      ...{ details: [costs], category: ApplicationFailureCategory.BENIGN },
    });
  }
}

/** What budgets of tenants count. */
const modelActivities: readonly (keyof TactusActivities)[] = [
  'modelCall',
  'continuedModelCall',
  'modelBatch',
];

function subjectsOf(name: keyof TactusActivities, input: HoldableInput, env: Environment): HoldSubjects {
  if (name === 'modelCall' || name === 'continuedModelCall')
    return providerOf((input as ModelCallInput).call.model, env);
  if (name === 'modelBatch') return providerOf((input as ModelBatchInput).calls[0]?.call.model ?? null, env);
  return name === 'callTool' ? { tool: toolNames((input as CallToolInput).invocation.source) } : {};
}

/** A model that can't be asked is held by nothing: the call says why. */
function providerOf(model: string | null, env: Environment): HoldSubjects {
  try {
    return { provider: [checkModel(model, env).provider.name] };
  } catch {
    return {};
  }
}
