import type { LocalAnswer } from '../../activities/local-answer.js';
import type { JsonValue } from '../../contract/json.js';
import type { Prediction, PredictionResult } from '../../contract/prediction.js';
import { localActivities, remoteActivities } from './activities.js';
import { idempotencyKey, type EffectContext } from './context.js';

/** One question to a prediction model; where its author wrote the answer down, no other worker is needed for it. */
export async function performPrediction(
  context: EffectContext,
  position: string,
  prediction: Prediction,
): Promise<LocalAnswer<JsonValue>> {
  const input = { prediction, idempotencyKey: idempotencyKey(context, position) };
  const { backend } = prediction;
  if (backend.type === 'mock') {
    const { value, at } = await localActivities().mockPredict(input);
    return { value: toJson(value), at };
  }
  const { predict } = remoteActivities(
    backend.timeoutMs,
    context.limits.heartbeatMs,
    `predict · ${prediction.model}`,
  );
  return { value: toJson(await predict(input)), at: Date.now() };
}

function toJson({ output, cost }: PredictionResult): JsonValue {
  return { output, cost };
}
