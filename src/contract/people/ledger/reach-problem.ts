import { digestOf } from '../../effects/digest.js';
import type { HumanRequest } from '../human-request.js';
import { voteValue } from './vote.js';

/**
 * Why nobody could ever decide a request: too few people may, even when all have been asked that will be; null where enough may. What
 * somebody has said who has no say any longer still counts, and can't be changed.
 */
export function reachProblem({
  approvers,
  escalation = [],
  quorum = 1,
  requester,
  votes = [],
}: HumanRequest): string | null {
  if (approvers.length === 0) return null;
  const able = new Set([...approvers, ...escalation.flatMap(({ to }) => to)]);
  if (requester !== undefined) able.delete(requester);
  const fixed = new Map<string, number>();
  for (const { by, value } of votes) {
    if (able.has(by)) continue;
    const said = digestOf(voteValue(value));
    fixed.set(said, (fixed.get(said) ?? 0) + 1);
  }
  const most = able.size + Math.max(0, ...fixed.values());
  return most >= quorum
    ? null
    : `${quorum} people must agree, and ${most} may: ${[...able, ...others(most - able.size)].join(', ')}`;
}

function others(count: number): string[] {
  return count === 0 ? [] : [`${count} who ${count === 1 ? 'has' : 'have'} decided`];
}
