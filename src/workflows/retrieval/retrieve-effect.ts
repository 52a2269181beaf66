import { holdTerms, performing } from '../effects/effect-kind.js';
import { remoteActivities } from '../effects/activities.js';

/** Questions to a corpus, where it lies. Asking twice changes nothing. */
export const retrieve = performing('retrieve', {
  perform(context, opened, { retrieval }) {
    const { timeoutMs, retry: policy, taskQueue } = retrieval.setup;
    const { retrieve: ask, tries } = remoteActivities(opened.calls, {
      ...{ policy, timeoutMs, taskQueue, summary: opened.request.title },
    });
    opened.follow(
      () => ask({ retrieval, tries, ...holdTerms(context, opened.position) }),
      (result) => opened.answer(result),
    );
  },
});
