import type { Effect } from '../../contract/effects.js';
import type { EffectKindOf } from '../effect-kind.js';
import { remoteActivities } from './activities.js';
import { idempotencyKey } from './idempotency-key.js';

/** One request of the procedure's own: answered once, and replayed from history ever after. */
export const http: EffectKindOf<Extract<Effect, { kind: 'http' }>> = {
  failure: 'http_failed',
  wait: 'activity',
  isRemote: true,
  perform(context, opened, { request }) {
    const { name, position } = opened.request;
    const { httpRequest } = remoteActivities(request.timeoutMs, context.limits.heartbeatMs, name);
    const key = idempotencyKey(context, position);
    opened.follow(
      () => httpRequest({ request, name, idempotencyKey: key }),
      (response) => opened.answer(response),
    );
  },
};
