import { Context } from '@temporalio/activity';
import type { ActivityDeps } from './activity-deps.js';

/**
 * Tells the worker's listener which run and position a piece of text belongs to; null where nobody listens. The
 * position is the last part of the idempotency key. A listener that throws is told no more: what shows an answer must
 * not cost the answer.
 */
export function textListener(
  onText: ActivityDeps['onText'],
  idempotencyKey: string,
): ((text: string) => void) | null {
  if (onText === undefined) return null;
  const { info, log } = Context.current();
  const runId = info.workflowExecution?.workflowId ?? '';
  const position = idempotencyKey.slice(idempotencyKey.lastIndexOf('/') + 1);
  let isListening = true;
  return (text) => {
    if (!isListening) return;
    try {
      onText({ runId, position, text, attempt: info.attempt });
    } catch (error) {
      isListening = false;
      log.warn('The listener to streamed text failed', { error });
    }
  };
}
