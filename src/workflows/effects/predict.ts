import { performing } from '../effect-kind.js';
import { localActivities, remoteActivities, remoteHelpers } from '../performing/activities.js';
import { idempotencyKey } from '../performing/idempotency-key.js';

/** One question to a prediction model: over the network, or to one whose author wrote the answer down. */
export const predict = performing('predict', {
  perform(context, opened, { prediction }) {
    const { backend, model } = prediction;
    const input = { prediction, idempotencyKey: idempotencyKey(context, opened.position) };
    const summary = `predict · ${model}`;
    if (backend.type === 'mock') {
      const { mockPredictOutcome } = remoteHelpers(summary);
      opened.follow(
        () => mockPredictOutcome(input),
        ({ value }) => opened.end(value),
      );
      return;
    }
    const { timeoutMs, retry: policy } = backend;
    const { predict: ask, tries } = remoteActivities(opened.calls, { policy, timeoutMs, summary });
    opened.follow(
      () => ask({ ...input, tries }),
      (result) => opened.answer(result),
    );
  },
  performLocally(context, opened, { prediction }) {
    if (prediction.backend.type !== 'mock') return null;
    const key = idempotencyKey(context, opened.position);
    return () => localActivities.mockPredictOutcome({ prediction, idempotencyKey: key });
  },
});
