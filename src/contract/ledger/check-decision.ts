import type { Decision } from '../decision.js';
import type { HumanRequest } from '../human-request.js';
import type { AnswerValue } from './answer-value.js';
import { quoteText } from './quote-text.js';
import { readAnswerValue } from './read-answer-value.js';
import { sizeProblem } from './size-problem.js';

export type Checked =
  { outcome: 'accepted'; answer: AnswerValue } | { outcome: 'not_allowed' | 'invalid'; message: string };

/** Whether a decision on an open request counts. One that doesn't leaves the request open. */
export function checkDecision(request: HumanRequest, decision: Decision): Checked {
  const { approvers } = request;
  if (approvers.length > 0 && (decision.by === undefined || !approvers.includes(decision.by))) {
    const who = decision.by === undefined ? 'a decision without a name' : quoteText(decision.by);
    return { outcome: 'not_allowed', message: `${who} may not decide: ask ${quoteText(approvers)}` };
  }
  if (decision.digest !== undefined && decision.digest !== request.digest) {
    const message = 'the decision was made for another text than the request shows now: look at it again';
    return { outcome: 'invalid', message };
  }
  const oversize = sizeProblem(decision);
  if (oversize !== null) return { outcome: 'invalid', message: oversize };
  const answer = readAnswerValue(request, decision.value);
  if (typeof answer === 'string') return { outcome: 'invalid', message: answer };
  const oversizeInside = answer.comment === null ? null : sizeProblem({ comment: answer.comment });
  if (oversizeInside !== null) return { outcome: 'invalid', message: oversizeInside };
  return { outcome: 'accepted', answer };
}
