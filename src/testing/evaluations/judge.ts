import type { TestEnvironment } from '../../worker/specifications/test-environment.js';
import { judgeOf } from './judge-procedure.js';
import type { Opinion } from '../specifications/step-definition.js';

/**
 * Asks a model whether a text meets a rubric, in a run of its own.
 * @returns `ok`, and the reason in one sentence; a judge that fails says no, with why it failed
 */
export async function judge(
  environment: TestEnvironment,
  question: {
    rubric: string;
    text: string;
    /** Such as `openai/gpt-5-mini`; left out: the one of agents that name none. */
    model?: string;
  },
): Promise<Opinion> {
  const { rubric, text, model = null } = question;
  const opinion = await judgeOf(environment, false)({ rubric, text, model });
  return opinion as Opinion; // null only where no model may be asked
}
