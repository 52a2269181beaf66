import type { LocalAnswer } from '../../../contract/activities.js';
import type { Prediction, PredictionResult } from '../../../contract/predictions/served-model.js';
import { localActivities, remoteActivities } from '../../effects/activities.js';
import { idempotencyKey, type EffectContext } from './context.js';

/** One question to a prediction model over the network. */
export function performPrediction(
  context: EffectContext,
  position: string,
  prediction: Prediction,
  timeoutMs: number,
): Promise<PredictionResult> {
  const summary = `predict · ${prediction.model}`;
  const calls = { limits: context.limits, settings: {} };
  const { predict, tries } = remoteActivities(calls, { timeoutMs, summary });
  return predict({ prediction, idempotencyKey: idempotencyKey(context, position), tries });
}

/** One question to a model whose author wrote the answer down. */
export function performMockPrediction(
  context: EffectContext,
  position: string,
  prediction: Prediction,
): Promise<LocalAnswer<PredictionResult>> {
  return localActivities.mockPredict({ prediction, idempotencyKey: idempotencyKey(context, position) });
}
