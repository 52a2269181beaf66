import { failureQuestionProblem as problemOfAsking } from '../../lua-bridge/index.js';
import type { FailureQuestion } from '../../contract/people/failure-question.js';

/** Why people could not be asked so, in words that follow `on_failure`; null: they can. */
export function failureQuestionProblem(question: FailureQuestion): string | null {
  return problemOfAsking(question);
}
