import { digestOf } from '../../effects/digest.js';
import type { HumanRequest, Vote } from '../human-request.js';
import { isObject, type JsonValue } from '../../json/json.js';
import { quoteText } from './quote-text.js';

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
export function voteValue(value: JsonValue): JsonValue {
  return isObject(value) && value['decision'] !== undefined ? value['decision'] : value;
}

function sameness(value: JsonValue): string {
  return digestOf(voteValue(value));
}
