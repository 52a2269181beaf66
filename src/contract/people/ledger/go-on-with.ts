import type { HumanRequest } from '../human-request.js';
import { reachProblem } from './reach-problem.js';

/**
 * A request that a run asks for again, with what had become of it. Where other people are to decide now than when it was opened, as
 * in a changed procedure, what those said counts who may still decide, and what was handed on by them holds; unless too few
 * could decide it then.
 */
export function goOnWith(request: HumanRequest, open: HumanRequest): HumanRequest {
  const merged = { ...request, ...cameTo(open) };
  if (isSameCircle(request, merged) && reachProblem(merged) === null) return merged;
  const { delegated = [], votes, ...others } = merged;
  const asked = (merged.escalation ?? []).filter((stage) => stage.asked).flatMap(({ to }) => to);
  const back = request.approvers.length === 0 ? [] : [...new Set([...request.approvers, ...asked])];
  const counting = (approvers: string[]): HumanRequest => ({
    ...{ ...others, approvers },
    ...(votes === undefined ? {} : { votes: votes.filter(({ by }) => mayDecide(by, request, approvers)) }),
  });
  const held: typeof delegated = [];
  let approvers = back;
  for (const each of delegated) {
    if (!mayDecide(each.by, request, approvers) || !mayDecide(each.to, request, [])) continue;
    approvers = [...approvers.filter((name) => name !== each.by && name !== each.to), each.to];
    held.push(each);
  }
  const handed = { ...counting(approvers), ...(held.length === 0 ? {} : { delegated: held }) };
  return reachProblem(handed) === null ? handed : counting(back);
}

function mayDecide(by: string, { requester }: HumanRequest, approvers: readonly string[]): boolean {
  return by !== requester && (approvers.length === 0 || approvers.includes(by));
}

/** Whether those who may decide come of those whom the request names now. */
function isSameCircle(
  { approvers: named, requester }: HumanRequest,
  { approvers, escalation = [], delegated = [], votes = [] }: HumanRequest,
): boolean {
  const asked = escalation.filter((stage) => stage.asked).flatMap(({ to }) => to);
  const come = new Set([...named, ...asked, ...delegated.map(({ to }) => to)]);
  const there = new Set([...approvers, ...delegated.map(({ by }) => by)]);
  return (
    approvers.every((name) => come.has(name)) &&
    named.every((name) => there.has(name)) &&
    votes.every(({ by }) => by !== requester && (named.length === 0 || come.has(by)))
  );
}

/** What has become of a request since it was opened. */
export function cameTo({
  created_at,
  deadline,
  votes,
  escalation,
  delegated,
  approvers,
  reminder,
  deliveries,
}: HumanRequest): Partial<HumanRequest> {
  const isElsewhere = escalation !== undefined || delegated !== undefined;
  return {
    ...{ created_at, deadline },
    ...(votes === undefined ? {} : { votes }),
    ...(escalation === undefined ? {} : { escalation }),
    ...(delegated === undefined ? {} : { delegated }),
    ...(isElsewhere ? { approvers } : {}),
    ...(reminder === undefined ? {} : { reminder }),
    ...(deliveries === undefined ? {} : { deliveries }),
  };
}
