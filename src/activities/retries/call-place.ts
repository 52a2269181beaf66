import { Context } from '@temporalio/activity';

/** Which call of which run this attempt is for. The position is the last part of the idempotency key. */
export function callPlace(idempotencyKey: string): { runId: string; position: string; attempt: number } {
  const { workflowExecution, attempt } = Context.current().info;
  const position = idempotencyKey.slice(idempotencyKey.lastIndexOf('/') + 1);
  return { runId: workflowExecution?.workflowId ?? '', position, attempt };
}
