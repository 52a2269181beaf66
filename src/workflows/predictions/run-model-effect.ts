import { idempotencyKey } from '../../contract/effects/idempotency-key.js';
import { holdTerms, performing } from '../effects/effect-kind.js';
import { remoteActivities } from '../effects/activities.js';
import { queueOfPrediction } from '../effects/call-queues.js';

/** Questions to a prediction model, on the task queue of those that have it. */
export const runModel = performing('run_model', {
  perform(context, opened, { run }) {
    const { backend } = run;
    const { timeoutMs, retry: policy } = backend;
    const { runModel: ask, tries } = remoteActivities(opened.calls, {
      ...{ policy, timeoutMs, summary: opened.request.title },
      taskQueue: queueOfPrediction(context, backend),
    });
    const input = { run, idempotencyKey: idempotencyKey(context, opened.position), tries };
    opened.follow(
      () => ask({ ...input, ...holdTerms(context, opened.position) }),
      (result) => opened.answer(result),
    );
  },
});
