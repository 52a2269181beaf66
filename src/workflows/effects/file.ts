import type { LocalAnswer } from '../../activities/local-answer.js';
import type { Effect } from '../../contract/effects.js';
import type { JsonValue } from '../../contract/json.js';
import { localActivities } from './activities.js';
import { idempotencyKey, type EffectContext } from './context.js';

/** One operation on a file of the worker. */
export function performFile(
  context: EffectContext,
  position: string,
  effect: Extract<Effect, { kind: 'file' }>,
): Promise<LocalAnswer<JsonValue>> {
  const { operation, path, content } = effect;
  const input = {
    operation,
    path,
    ...(content === undefined ? {} : { content }),
    idempotencyKey: idempotencyKey(context, position),
  };
  return localActivities.file(input);
}
