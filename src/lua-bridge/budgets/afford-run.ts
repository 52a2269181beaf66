import { leastOf, type Budget } from '../../contract/budgets/budget.js';
import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import { afford } from './afford.js';
import type { IsRecorded } from './is-recorded.js';
import { leftOf, writtenBudgets } from './run-budgets.js';

/**
 * What a run that the next effect starts may use of what is left here. What it is given by name is held for it until it has ended;
 * one that is given nothing may use what is left now, and whoever goes on beside it as well.
 * @throws TactusError budget_exhausted
 */
export function* affordRun(
  bridge: Bridge,
  L: LuaState,
  { what, own, isRecorded }: { what: string; own: Budget | null; isRecorded: IsRecorded },
): Generator<Step, { budget?: Budget }, unknown> {
  const innermost = writtenBudgets(L).at(-1);
  if (own === null && innermost === undefined) return {};
  const { tokens = 0, costUsd = 0 } = own ?? {};
  yield* afford(bridge, L, { what, tokens, costUsd }, isRecorded);
  const limits = leastOf(own ?? {}, leftOf(bridge, L));
  if (Object.keys(limits).length === 0) return {};
  const approvers = own?.approvers ?? innermost?.approvers ?? [];
  const onExhausted = own?.onExhausted ?? innermost?.onExhausted ?? 'ask';
  return {
    budget: { ...limits, onExhausted, ...(approvers.length === 0 ? {} : { approvers: [...approvers] }) },
  };
}
