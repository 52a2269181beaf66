import { idempotencyKey } from '../../contract/effects/idempotency-key.js';
import { holdTerms, performing } from '../effects/effect-kind.js';
import { localHelpers, remoteActivities, remoteHelpers } from '../effects/activities.js';

/** One question to a prediction model: over the network, or to one whose author wrote the answer down. */
export const predict = performing('predict', {
  perform(context, opened, { prediction }) {
    const { backend } = prediction;
    const input = { prediction, idempotencyKey: idempotencyKey(context, opened.position) };
    const summary = opened.request.title;
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
      () => ask({ ...input, tries, ...holdTerms(context, opened.position) }),
      (result) => opened.answer(result),
    );
  },
  performLocally(context, opened, { prediction }) {
    if (prediction.backend.type !== 'mock') return null;
    const { mockPredictOutcome } = localHelpers(opened.request.title);
    const key = idempotencyKey(context, opened.position);
    return () => mockPredictOutcome({ prediction, idempotencyKey: key });
  },
});
