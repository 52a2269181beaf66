import { TactusError } from '../contract/errors.js';
import { getOwn, type JsonObject } from '../contract/json/json.js';
import { failureQuestionOf, type FailureQuestion } from '../contract/people/failure-question.js';

/** Who is asked when a main procedure fails whose source says nothing of it. */
export const onFailureSetting = 'on_failure';

/**
 * What the last file says that says anything: no part of the others' questions is in it. null: nobody is asked.
 * @param configs the weakest first
 * @throws TactusError config_invalid where one could not be asked
 */
export async function onFailureOf(
  configs: readonly { file: string; config: JsonObject }[],
): Promise<FailureQuestion | null> {
  let last: FailureQuestion | null = null;
  for (const { file, config } of configs) {
    const given = getOwn(config, onFailureSetting) ?? null;
    if (given === null) continue;
    const question = failureQuestionOf(given);
    const problem =
      typeof question === 'string' ? question : question === false ? null : await askProblem(question);
    if (problem !== null)
      throw new TactusError('config_invalid', `${file}: ${onFailureSetting} ${problem}`, { file });
    last = typeof question === 'object' ? question : null;
  }
  return last;
}

/** Few configurations have a question: what knows how people are asked is loaded where there is one. */
async function askProblem(question: FailureQuestion): Promise<string | null> {
  const { failureQuestionProblem } = await import('../validation/program/failure-question.js');
  return failureQuestionProblem(question);
}
