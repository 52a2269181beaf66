import type { Decision } from '../decision.js';
import type { Holds } from '../../engine.js';
import { namesPeople, type HumanRequest } from '../human-request.js';
import { quoteText } from '../../text/plain-text.js';
import { readAnswerValue, type AnswerValue } from './answers.js';
import { neededProblem } from './needed-answer.js';
import { maxCommentBytes, maxValueBytes } from './ledger-state.js';
import { jsonSize, utf8Length } from '../../json/json.js';

export interface Refused {
  outcome: 'not_allowed' | 'invalid';
  message: string;
}

export type Checked = { outcome: 'accepted'; answer: AnswerValue } | Refused;

/** Whether an answer to an open request counts. One that doesn't leaves the request open. */
export function checkDecision(request: HumanRequest, decision: Decision, holds: Holds): Checked {
  const refused = mayDecide(request, decision) ?? fitsRequest(request, decision);
  if (refused !== null) return refused;
  const answer = readAnswerValue(request, decision.value);
  if (typeof answer === 'string') return { outcome: 'invalid', message: answer };
  const missing = holds('needed-answers') ? neededProblem(request, answer.value) : null;
  if (missing !== null) return { outcome: 'invalid', message: missing };
  const oversizeInside = answer.comment === null ? null : sizeProblem({ comment: answer.comment });
  if (oversizeInside !== null) return { outcome: 'invalid', message: oversizeInside };
  return { outcome: 'accepted', answer };
}

/** Why this person has no say over the request; null where there is one. */
export function mayDecide(request: HumanRequest, { by }: Pick<Decision, 'by'>): Refused | null {
  const { approvers, requester } = request;
  const refuse = (message: string): Refused => ({ outcome: 'not_allowed', message });
  const who = by === undefined ? 'a decision without a name' : quoteText(by);
  if (requester !== undefined && by === requester)
    return refuse(`${who} asks, and may not decide: somebody else must`);
  if (approvers.length > 0 && (by === undefined || !approvers.includes(by)))
    return refuse(`${who} may not decide: ask ${quoteText(approvers)}`);
  if (by === undefined && namesPeople(request))
    return refuse(`${who} doesn't count here: it matters who decides`);
  return null;
}

/** Why what was sent isn't for this request, or too large; null where nothing is wrong with it. */
export function fitsRequest({ digest }: HumanRequest, decision: Decision): Refused | null {
  if (decision.digest !== undefined && decision.digest !== digest) {
    const message = 'the decision was made for another text than the request shows now: look at it again';
    return { outcome: 'invalid', message };
  }
  const oversize = sizeProblem(decision);
  return oversize === null ? null : { outcome: 'invalid', message: oversize };
}

/** Why a decision is too large to be kept in a run's history; null where it isn't. */
export function sizeProblem({ value, comment }: Partial<Pick<Decision, 'value' | 'comment'>>): string | null {
  if (comment !== undefined && utf8Length(comment) > maxCommentBytes) {
    return `the comment is longer than ${maxCommentBytes / 1024} KiB`;
  }
  if (value !== undefined && jsonSize(value) > maxValueBytes) {
    return `the value is longer than ${maxValueBytes / 1024} KiB`;
  }
  return null;
}
