import type { Effect } from '../../contract/effects.js';
import type { EffectKindOf } from '../effect-kind.js';
import { localActivities, remoteActivities } from './activities.js';
import { idempotencyKey } from './idempotency-key.js';

/** One question to a prediction model: over the network, or to one whose author wrote the answer down. */
export const predict: EffectKindOf<Extract<Effect, { kind: 'predict' }>> = {
  failure: 'predict_failed',
  wait: 'activity',
  isRemote: true,
  perform(context, opened, { prediction }) {
    const { backend, model } = prediction;
    if (backend.type !== 'http') throw new TypeError('a mock prediction is a local activity');
    const { heartbeatMs } = context.limits;
    const { predict: ask } = remoteActivities(backend.timeoutMs, heartbeatMs, `predict · ${model}`);
    const key = idempotencyKey(context, opened.position);
    opened.follow(
      () => ask({ prediction, idempotencyKey: key }),
      (result) => opened.answer(result),
    );
  },
  performLocally(context, opened, { prediction }) {
    if (prediction.backend.type !== 'mock') return null;
    const key = idempotencyKey(context, opened.position);
    return () => localActivities.mockPredictOutcome({ prediction, idempotencyKey: key });
  },
};
