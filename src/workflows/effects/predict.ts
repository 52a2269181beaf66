import type { Prediction, PredictionResult } from '../../contract/prediction.js';
import { localActivities, remoteActivities } from './activities.js';
import { idempotencyKey, type EffectContext } from './context.js';

/** One question to a prediction model. */
export function performPrediction(
  context: EffectContext,
  position: string,
  prediction: Prediction,
): Promise<PredictionResult> {
  const input = { prediction, idempotencyKey: idempotencyKey(context, position) };
  const { backend } = prediction;
  if (backend.type === 'mock') return context.localQueue.run(() => localActivities().predict(input));
  return remoteActivities(
    backend.timeoutMs,
    context.limits.heartbeatMs,
    `predict · ${prediction.model}`,
  ).predict(input);
}
