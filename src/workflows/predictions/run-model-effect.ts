import { getOwn } from '../../contract/json/json.js';
import { pythonModelTypes, type ServedModel } from '../../contract/predictions/served-model.js';
import { idempotencyKey } from '../../contract/effects/idempotency-key.js';
import { holdTerms, performing, type RunContext } from '../effects/effect-kind.js';
import { remoteActivities } from '../effects/activities.js';
import { usualPythonQueue } from './python-queue.js';

/** Questions to a prediction model, on the task queue of those that have it. */
export const runModel = performing('run_model', {
  perform(context, opened, { run }) {
    const { backend } = run;
    const { timeoutMs, retry: policy } = backend;
    const { runModel: ask, tries } = remoteActivities(opened.calls, {
      ...{ policy, timeoutMs, summary: opened.request.title },
      taskQueue: queueOf(context, backend),
    });
    const input = { run, idempotencyKey: idempotencyKey(context, opened.position), tries };
    opened.follow(
      () => ask({ ...input, ...holdTerms(context, opened.position) }),
      (result) => opened.answer(result),
    );
  },
});

/** What its author says, then configuration for its type; Python's models go to workers of their own. */
function queueOf({ start }: RunContext, { type, taskQueue }: ServedModel): string | undefined {
  const said = taskQueue ?? getOwn(start.settings?.modelQueues ?? {}, type);
  if (said !== undefined) return said;
  const isPython = pythonModelTypes.some((each) => each === type);
  return isPython ? usualPythonQueue() : undefined;
}
