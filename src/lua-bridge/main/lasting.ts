import type { BudgetView } from '../../contract/budgets/budget.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { Pass, PassEnd } from '../../contract/runs/pass.js';
import { agentBudgets } from '../agents/agent-turn.js';
import { budgetsBefore, lastingBudgets } from '../budgets/run-budgets.js';
import { threadState } from '../graphs/threads.js';
import type { Bridge, Frame } from '../kernel/index.js';
import { marks } from '../progress/marks.js';
import { session } from '../sessions/session-of-run.js';

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
    ...(bridge.holds('labels') ? { marks: marks.of(bridge).shown } : {}),
    // An agent that had no turn in this pass has what it used before.
    budgets: { ...budgetsBefore.of(bridge).left, ...Object.fromEntries(budgets) },
    execution,
  };
}

/**
 * What another turn of the run's thread begins with: what the graph has come to, and what the run keeps. Each turn has budgets of
 * its own. Null: no super-step of a graph is recorded.
 */
export function nextTurn(
  bridge: Bridge,
  root: Frame,
  state: JsonObject,
  ended: { execution: string; shown: number },
): Pass | null {
  const thread = threadState(bridge);
  if (thread === null) return null;
  // A turn that has recorded nothing has used a position all the same.
  const position = Math.max(root.next, (bridge.run.pass?.position ?? 0) + 1) - 1;
  return { ...nextPass(bridge, { position, input: null, state }, ended), thread, budgets: {} };
}
