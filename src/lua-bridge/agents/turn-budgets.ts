import { BudgetScope } from '../scheduler/budget-scope.js';
import type { Bridge } from '../kernel/bridge.js';
import { PerRun } from '../kernel/per-run.js';
import { within } from '../budgets/run-budgets.js';
import type { LuaState } from '../vm/fengari.js';
import type { AgentDeclaration } from './agent-declaration.js';
import type { TurnRequest } from './turn-request.js';

/** What agents may use in all of their turns, as far as they have had one. */
export const agentBudgets = new PerRun(() => new Map<AgentDeclaration, BudgetScope>());

/** Those around a turn, with its own and its agent's. */
export function turnBudgets(
  bridge: Bridge,
  L: LuaState,
  { agent, name, budget }: TurnRequest,
): readonly BudgetScope[] {
  const around = within(bridge, L, `a turn of ${name}`, budget);
  if (agent.budget === null) return around;
  const known = agentBudgets.of(bridge);
  const own = known.get(agent) ?? new BudgetScope(name, agent.budget, bridge.now());
  known.set(agent, own);
  return [...around, own];
}
