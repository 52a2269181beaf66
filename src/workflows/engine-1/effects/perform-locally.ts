import type { LocalAnswer } from '../../../contract/activities.js';
import type { Effect } from '../../../contract/effects/effects.js';
import type { EffectRequest } from '../../../contract/effects/effect-request.js';
import type { EffectContext } from './context.js';
import { performFile } from './file.js';
import { performMockPrediction } from './predict.js';

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
