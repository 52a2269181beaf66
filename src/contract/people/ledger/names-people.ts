import type { HumanRequest } from '../human-request.js';

/** It matters who decides: a decision without a name doesn't count. */
export function namesPeople({
  approvers,
  requester,
  quorum,
}: Pick<HumanRequest, 'approvers' | 'requester' | 'quorum'>): boolean {
  return approvers.length > 0 || requester !== undefined || quorum !== undefined;
}
