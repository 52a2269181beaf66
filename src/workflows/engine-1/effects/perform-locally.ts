import type { LocalAnswer } from '../../../contract/activities.js';
import type { Effect } from '../../../contract/effects/effects.js';
import type { EffectRequest } from '../../../contract/checkpoints/checkpoint.js';
import { idempotencyKey, type EffectContext } from './context.js';
import { performMockPrediction } from './predict.js';
import type { FileEffect } from '../../../contract/files/file-effect.js';
import type { JsonValue } from '../../../contract/json/json.js';
import { localActivities } from '../../effects/activities.js';

/**
 * What takes milliseconds and runs in the worker that has the workflow, as a local activity. A run has one of them at a
 * time and looks at nothing else meanwhile: the SDK may tell of a local activity's end together with events that come
 * after it, and before them when the run is replayed.
 */
export function isLocal(effect: Effect): boolean {
  return effect.kind === 'file' || (effect.kind === 'predict' && effect.prediction.backend.type === 'mock');
}

/** Performs a local effect. */
export function performLocally(
  context: EffectContext,
  { position, effect }: EffectRequest,
): Promise<LocalAnswer<unknown>> {
  if (effect.kind === 'file') return performFile(context, position, effect);
  if (effect.kind === 'predict') return performMockPrediction(context, position, effect.prediction);
  throw new TypeError(`${effect.kind} is nothing that the worker does at once`);
}

/** One operation on a file of the worker. */
function performFile(
  context: EffectContext,
  position: string,
  effect: FileEffect,
): Promise<LocalAnswer<JsonValue>> {
  const { kind: _, ...input } = effect;
  return localActivities.file({ ...input, idempotencyKey: idempotencyKey(context, position) });
}
