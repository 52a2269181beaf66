import { Context } from '@temporalio/activity';
import type { ToolInvocation, ToolRefusal } from '../../contract/tools/outside-tool.js';
import {
  callDigest,
  judgeCall,
  noPolicy,
  ruleJson,
  type Judgement,
  type ToolPolicy,
} from '../../contract/tools/tool-policy.js';
import type { CallableTool } from './tool-host.js';

/**
 * Why the call must not be done now: by the policy of this worker, by the tool's own word, or because the tool isn't the one
 * that the run was told of; null where it may.
 */
export async function refusalOf(
  policy: ToolPolicy = noPolicy,
  tool: CallableTool,
  invocation: ToolInvocation,
  signal: AbortSignal,
): Promise<ToolRefusal | null> {
  const { args, procedure, source, approval } = invocation;
  const { action, rule } = judgeCall(policy, { names: tool.names, procedure, args });
  const refused = (refusal: Pick<ToolRefusal, 'action' | 'reason' | 'now'>): ToolRefusal => ({
    kind: 'refused',
    ...refusal,
    rule: rule === null ? null : ruleJson(rule),
  });
  if (action === 'deny') return refused({ action, reason: `the policy forbids ${source}` });
  const isWanted = action === 'approve' || approval !== undefined || (await tool.needsApproval(args));
  const drift = await driftOf(tool, invocation, isWanted, signal);
  if (drift !== null) return refused({ action: 'approve', ...drift });
  const problem = isWanted ? approvalProblem(invocation, rule) : null;
  return problem === null
    ? null
    : refused({ action: 'approve', reason: `the approval of ${source} ${problem}` });
}

/** How a tool has changed since the run was told of it. Another text alone matters where a person has to say yes. */
async function driftOf(
  tool: CallableTool,
  { version: told, source }: ToolInvocation,
  isWanted: boolean,
  signal: AbortSignal,
): Promise<Pick<ToolRefusal, 'reason' | 'now'> | null> {
  if (told === undefined || tool.now === undefined) return null;
  const { version, description, parameters } = await tool.now(signal);
  if (version === undefined) return null;
  const now = { version, description, parameters };
  if (version.arguments !== told.arguments)
    return { reason: `${source} takes other arguments than when the run began`, now };
  if (isWanted && version.text !== told.text)
    return { reason: `${source} is described otherwise than when the run began`, now };
  return null;
}

/** Why what was approved isn't this call, here and now; null where it is. */
export function approvalProblem(
  { approval, source, args }: Pick<ToolInvocation, 'approval' | 'source' | 'args'>,
  rule: Judgement['rule'],
): string | null {
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
