import { digestOf } from '../../effects/digest.js';
import type { HumanRequest, Vote } from '../human-request.js';
import { isObject, type JsonValue } from '../../json/json.js';
import { quoteText } from '../../text/plain-text.js';

export type Counted =
  | { kind: 'same'; message: string }
  | { kind: 'open'; votes: Vote[]; message: string }
  | { kind: 'decided'; votes: Vote[]; by: string };

/**
 * Counts what one of several people says. Who says something else than before has changed their mind. An approval is decided by
 * the first no, and by as many who say yes as its quorum wants; anything else by as many who say the same.
 */
export function countVote({ kind, quorum = 1, votes: before = [] }: HumanRequest, vote: Vote): Counted {
  const said = before.find(({ by }) => by === vote.by);
  const isSame = said !== undefined && sameness(said.value) === sameness(vote.value);
  // Enough is it where fewer must agree than when they did.
  if (isSame && before.filter(({ value }) => sameness(value) === sameness(vote.value)).length < quorum)
    return { kind: 'same', message: `already counted: ${quoteText(said.value)} by ${quoteText(said.by)}` };
  const votes = [...before.filter((each) => each !== said), vote];
  const agreeing = votes.filter(({ value }) => sameness(value) === sameness(vote.value));
  const isRefusal = kind === 'approval' && vote.value === false;
  if (isRefusal || agreeing.length >= quorum)
    return { kind: 'decided', votes, by: agreeing.map(({ by }) => by).join(', ') };
  const message = `counted: ${agreeing.length} of ${quorum} say ${quoteText(vote.value)}`;
  return { kind: 'open', votes, message };
}

/** What people agree on. Of reviews the decision alone: people comment as they like. */
function voteValue(value: JsonValue): JsonValue {
  return isObject(value) && value['decision'] !== undefined ? value['decision'] : value;
}

function sameness(value: JsonValue): string {
  return digestOf(voteValue(value));
}

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
