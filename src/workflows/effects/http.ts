import { performing } from '../effect-kind.js';
import { remoteActivities } from '../performing/activities.js';
import { idempotencyKey } from '../performing/idempotency-key.js';

/** One request of the procedure's own: answered once, and replayed from history ever after. */
export const http = performing('http', {
  perform(context, opened, { request }) {
    const { name, position } = opened.request;
    const { httpRequest } = remoteActivities(opened.calls, request.timeoutMs, name);
    const key = idempotencyKey(context, position);
    opened.follow(
      () => httpRequest({ request, name, idempotencyKey: key }),
      (response) => opened.answer(response),
    );
  },
});
