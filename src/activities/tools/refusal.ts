import { Context } from '@temporalio/activity';
import type { ToolAnswer, ToolInvocation } from '../../contract/outside-tool.js';
import {
  callDigest,
  judgeCall,
  noPolicy,
  ruleJson,
  type Judgement,
  type ToolPolicy,
} from '../../contract/tool-policy.js';
import type { CallableTool } from './tool-host.js';

type Refusal = Extract<ToolAnswer, { kind: 'refused' }>;

/** Why the call must not be done now: by the policy of this worker, and by the tool's own word; null where it may. */
export async function refusalOf(
  policy: ToolPolicy = noPolicy,
  tool: CallableTool,
  invocation: ToolInvocation,
): Promise<Refusal | null> {
  const { args, procedure, source, approval } = invocation;
  const { action, rule } = judgeCall(policy, { names: tool.names, procedure, args });
  const refused = (refusal: Pick<Refusal, 'action' | 'reason'>): Refusal => ({
    kind: 'refused',
    ...refusal,
    rule: rule === null ? null : ruleJson(rule),
  });
  if (action === 'deny') return refused({ action, reason: `the policy forbids ${source}` });
  const isWanted = action === 'approve' || (await tool.needsApproval(args));
  if (!isWanted && approval === undefined) return null;
  const problem = approvalProblem(invocation, rule);
  return problem === null
    ? null
    : refused({ action: 'approve', reason: `the approval of ${source} ${problem}` });
}

/** Why what was approved isn't this call, here and now; null where it is. */
function approvalProblem({ approval, source, args }: ToolInvocation, rule: Judgement['rule']): string | null {
  if (approval === undefined) return 'is missing';
  const { digest, expiresAt, remembered } = approval;
  // The server's time, which the run's own is made of, too.
  if (expiresAt !== null && Context.current().info.currentAttemptScheduledTimestampMs > expiresAt)
    return 'has expired';
  if (digest === callDigest(source, args)) return null;
  // Without a rule of ours it was the procedure's own file that wanted it.
  const isRemembered = remembered === 'tool' && (rule === null || rule.remember === 'tool');
  return isRemembered ? null : 'is of another call';
}
