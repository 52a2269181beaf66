import type { HttpRequest, HttpResponse } from '../../../contract/http/http-request.js';
import { remoteActivities } from '../../effects/activities.js';
import { idempotencyKey, type EffectContext } from './context.js';

/** One request of the procedure's own: answered once, and replayed from history ever after. */
export function performHttp(
  context: EffectContext,
  position: string,
  name: string,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { timeoutMs, retry: policy = { attempts: 1 } } = request;
  const calls = { limits: context.limits, settings: {} };
  const { httpRequest, tries } = remoteActivities(calls, { policy, timeoutMs, summary: name });
  return httpRequest({ request, name, idempotencyKey: idempotencyKey(context, position), tries });
}
