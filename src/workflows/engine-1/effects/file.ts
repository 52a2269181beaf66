import type { LocalAnswer } from '../../../contract/activities.js';
import type { FileEffect } from '../../../contract/files/file-effect.js';
import type { JsonValue } from '../../../contract/json/json.js';
import { localActivities } from '../../effects/activities.js';
import { idempotencyKey, type EffectContext } from './context.js';

/** One operation on a file of the worker. */
export function performFile(
  context: EffectContext,
  position: string,
  effect: FileEffect,
): Promise<LocalAnswer<JsonValue>> {
  const { kind: _, ...input } = effect;
  return localActivities.file({ ...input, idempotencyKey: idempotencyKey(context, position) });
}
