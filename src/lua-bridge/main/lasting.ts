import type { BudgetView } from '../../contract/budgets/budget.js';
import type { Pass, PassEnd } from '../../contract/runs/start-input.js';
import { agentBudgets } from '../agents/agent-turn.js';
import { budgetsBefore, lastingBudgets } from '../budgets/run-budgets.js';
import type { Bridge, Frame } from '../kernel/index.js';
import { session } from '../sessions/session-store.js';

/** What the run may use, and has used: its own budget, and those of its procedure and its agents. */
export function budgetViews(bridge: Bridge, root: Frame): BudgetView[] {
  return [...root.scope.budgets, ...agentBudgets.of(bridge).values()]
    .filter(({ isCeiling }) => !isCeiling)
    .map((scope) => scope.view(bridge.now()));
}

/**
 * What the run goes on with when it begins again from the top.
 * @param execution the one that this pass ends with
 * @param shown how many lines it has shown
 */
export function nextPass(
  bridge: Bridge,
  { position, state }: PassEnd,
  { execution, shown }: { execution: string; shown: number },
): Pass {
  const { pass } = bridge.run;
  const budgets = [...lastingBudgets.of(bridge)].map(([of, scope]) => [of, scope.handOver()] as const);
  return {
    number: (pass?.number ?? 0) + 1,
    at: bridge.now(),
    position: position + 1,
    checkpoints: (pass?.checkpoints ?? 0) + bridge.log.count,
    shown: (pass?.shown ?? 0) + shown,
    state,
    ...(bridge.holds('sessions') ? session.of(bridge).kept : {}),
    // An agent that had no turn in this pass has what it used before.
    budgets: { ...budgetsBefore.of(bridge).left, ...Object.fromEntries(budgets) },
    execution,
  };
}
