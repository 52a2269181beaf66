import { Context } from '@temporalio/activity';
import type { ActivityDeps } from '../activity-deps.js';
import { callPlace } from '../retries/call-place.js';

/**
 * Tells the worker's listener which run and position a piece of text belongs to; null where nobody listens. A listener
 * that throws is told no more: what shows an answer must not cost the answer.
 */
export function textListener(
  onText: ActivityDeps['onText'],
  idempotencyKey: string,
): ((text: string) => void) | null {
  if (onText === undefined) return null;
  const { log } = Context.current();
  const place = callPlace(idempotencyKey);
  let isListening = true;
  return (text) => {
    if (!isListening) return;
    try {
      onText({ ...place, text });
    } catch (error) {
      isListening = false;
      log.warn('The listener to streamed text failed', { error });
    }
  };
}
