import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { asJson, canonicalJson, isObject, type JsonObject } from '../../contract/json/json.js';
import {
  asPlan,
  changePlan,
  type Plan,
  type PlanChange,
  type PlanResult,
} from '../../contract/sessions/plan.js';
import { planSlice } from '../../contract/sessions/session-content.js';
import { recorded } from '../checkpoints/checkpointed.js';
import { currentFrame, upcomingPosition, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { tellObservers } from './observers.js';
import { sessionAt } from './session-of-run.js';
import { noteEvent, planEvent } from './triggers.js';

/**
 * Changes the plan, and records it.
 * @throws TactusError plan_invalid, payload_too_large
 */
export function* applyChange(
  bridge: Bridge,
  L: LuaState,
  change: PlanChange,
): Generator<Step, PlanResult, unknown> {
  const { message, plan } = changePlan(sessionAt(bridge, L).plan, change);
  const position = upcomingPosition(currentFrame(L));
  const kept = yield* keepPlan(bridge, L, change.action, asJson(change), plan);
  yield* noteEvent(bridge, L, planEvent(position, change, kept));
  return { message, plan: kept };
}

/** Records a plan, and what made it. What the log has holds: a fork may have edited it. */
export function* keepPlan<T extends Plan | null>(
  bridge: Bridge,
  L: LuaState,
  name: string,
  input: JsonObject,
  plan: T,
): Generator<Step, T, unknown> {
  const store = sessionAt(bridge, L);
  const spec = { type: 'plan', name, input, digest: digestOf(input) } as const;
  const value = yield* recorded(bridge, L, spec, () => {
    store.plan = plan;
    return plan === null ? null : asJson<Plan>(plan);
  });
  const kept = isObject(value) ? asPlan(value) : null;
  if ((kept === null) !== (plan === null))
    throw new TactusError('plan_invalid', `what the log has for the plan is none: ${JSON.stringify(value)}`);
  // Of a frame that isn't run again, its record alone is there.
  if (canonicalJson(value) !== canonicalJson(store.latest(planSlice))) store.plan = kept;
  yield* tellObservers(bridge, L);
  return kept as T;
}
