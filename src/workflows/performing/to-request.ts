import type { HumanAsk, HumanRequest } from '../../contract/human-request.js';
import { requestDigest } from '../../contract/request-digest.js';

/** A request as people see it; `now` in ms since 1970. */
export function toRequest(runId: string, position: string, ask: HumanAsk, now: number): HumanRequest {
  const { kind, message, context, options, form, metadata } = ask;
  const shown = {
    ...{ kind, message, context, options },
    ...(form === undefined ? {} : { form }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return {
    id: `${runId}/${position}`,
    run_id: runId,
    ...shown,
    default: ask.default,
    deadline: ask.timeoutMs === null ? null : new Date(now + ask.timeoutMs).toISOString(),
    created_at: new Date(now).toISOString(),
    position,
    approvers: ask.approvers,
    digest: requestDigest(shown),
  };
}
