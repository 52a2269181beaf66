import { condition } from '@temporalio/workflow';
import type { HumanAnswer, HumanAsk, HumanRequest } from '../../contract/human-request.js';
import { requestDigest } from '../../contract/request-digest.js';
import type { EffectContext } from './context.js';

/** Opens the request and waits for a decision, or for the end of its time. */
export async function performHuman(
  context: EffectContext,
  position: string,
  ask: HumanAsk,
): Promise<HumanAnswer> {
  const { inbox, gate } = context;
  const request = toRequest(context.runId, position, ask);
  const known = inbox.open(request);
  if (known !== null) return known;
  const deadline = inbox.deadline(request.id);
  // An answer cancels the timer, which is a command.
  const isAnswered = (): boolean => gate.isOpen && inbox.hasAnswer(request.id);
  if (deadline === null) await condition(isAnswered);
  else await condition(isAnswered, Math.max(1, deadline - Date.now()));
  // The time is over, but a decision may come that a replay sees first: it wins.
  if (!gate.isOpen) await gate.opened();
  return inbox.take(request.id);
}

export function toRequest(runId: string, position: string, ask: HumanAsk): HumanRequest {
  const { kind, message, context, options } = ask;
  const now = Date.now();
  return {
    id: `${runId}/${position}`,
    run_id: runId,
    kind,
    message,
    context,
    options,
    default: ask.default,
    deadline: ask.timeoutMs === null ? null : new Date(now + ask.timeoutMs).toISOString(),
    created_at: new Date(now).toISOString(),
    position,
    approvers: ask.approvers,
    digest: requestDigest({ kind, message, context, options }),
  };
}
