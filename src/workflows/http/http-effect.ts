import { idempotencyKey } from '../../contract/effects/idempotency-key.js';
import { holdTerms, performing } from '../effects/effect-kind.js';
import { remoteActivities } from '../effects/activities.js';

/** One request of the procedure's own: answered once, and replayed from history ever after. */
export const http = performing('http', {
  perform(context, opened, { request }) {
    const { name, position } = opened.request;
    const { timeoutMs, retry: policy = { attempts: 1 } } = request;
    const { httpRequest, tries } = remoteActivities(opened.calls, { policy, timeoutMs, summary: name });
    const key = idempotencyKey(context, position);
    opened.follow(
      () => httpRequest({ request, name, idempotencyKey: key, tries, ...holdTerms(context, position) }),
      (response) => opened.answer(response),
    );
  },
});
