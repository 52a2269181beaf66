import { problemIf, type Evaluator, type EvaluatorTable } from '../evaluator.js';

/** `field.llm_judge{rubric = "Is the greeting kind?", model = "openai/gpt-5-mini"}`: a model's opinion. */
export function llmJudge(table: EvaluatorTable): Evaluator {
  const rubric = table.text('rubric');
  const model = table.optionalText('model');
  const showsExpected = table.table['include_expected'] === true;
  return async (run, judge) => {
    const { name, text } = table.subjectText(run);
    const expected = showsExpected ? `\n\nExpected: ${JSON.stringify(run.expected)}` : '';
    const opinion = await judge({ rubric, text: text + expected, model });
    if (opinion === null) return { unknown: 'no model is asked with --mock' };
    return problemIf(!opinion.ok, () => `${name}, in the judge's opinion: ${opinion.reason}`);
  };
}
