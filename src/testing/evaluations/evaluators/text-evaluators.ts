import { getOwn, isObject, type JsonValue } from '../../../contract/json/json.js';
import { problemIf, type EvaluatedRun, type Evaluator, type EvaluatorTable } from '../evaluator.js';
import { asText, shown } from '../expected-value.js';
import { patternOf } from '../../specifications/pattern-of.js';
import { StepProblem } from '../../specifications/step-definition.js';

/** `field.contains{field = "greeting", value = "Hello"}`, or what the case expects under `check_expected`. */
export function contains(table: EvaluatorTable): Evaluator {
  wantedOf(table, null);
  return (run) => {
    const { name, text } = table.subjectText(run);
    const wanted = asText(wantedOf(table, run) ?? null);
    return problemIf(
      !includes(table, text, wanted),
      () => `${name} is ${shown(text)}, which has no ${shown(wanted)}`,
    );
  };
}

/** `field.contains_any{value = {"Hello", "Hi"}}`. */
export function containsAny(table: EvaluatorTable): Evaluator {
  wantedOf(table, null);
  return (run) => {
    const { name, text } = table.subjectText(run);
    const wanted = [wantedOf(table, run) ?? null].flat().map(asText);
    return problemIf(
      !wanted.some((each) => includes(table, text, each)),
      () => `${name} is ${shown(text)}, which has none of ${wanted.map(shown).join(', ')}`,
    );
  };
}

/** `field.min_length{field = "greeting", value = 1}`, in characters; of a list or an object, in items. */
export function minLength(table: EvaluatorTable): Evaluator {
  return lengthEvaluator(table, (length, least) => length < least, 'or more');
}

/** `field.max_length{value = 500}`, or what the case expects under `check_expected`. */
export function maxLength(table: EvaluatorTable): Evaluator {
  return lengthEvaluator(table, (length, most) => length > most, 'at most');
}

function lengthEvaluator(
  table: EvaluatorTable,
  isWrong: (length: number, bound: number) => boolean,
  how: string,
): Evaluator {
  const checked = table.optionalText('check_expected');
  const given = checked === null ? table.number('value') : (table.optionalNumber('value') ?? 0);
  return (run) => {
    const expected = checked !== null && isObject(run.expected) ? getOwn(run.expected, checked) : undefined;
    const bound = typeof expected === 'number' ? expected : given;
    const { name, value } = table.subjectOf(run);
    const { length, unit } = lengthOf(value ?? '');
    return problemIf(isWrong(length, bound), () => `${name} has ${length} ${unit}, expected ${bound} ${how}`);
  };
}

function lengthOf(value: JsonValue): { length: number; unit: string } {
  if (Array.isArray(value)) return { length: value.length, unit: 'items' };
  if (isObject(value)) return { length: Object.keys(value).length, unit: 'items' };
  return { length: [...asText(value)].length, unit: 'characters' };
}

/** `field.regex{field = "id", value = "^A-\\d+"}`. */
export function regex(table: EvaluatorTable): Evaluator {
  const expression = expressionOf(table);
  return (run) => {
    const { name, text } = table.subjectText(run);
    return problemIf(
      !expression.test(text),
      () => `${name} is ${shown(text)}: no match of ${table.text('value')}`,
    );
  };
}

/** @throws TactusError source_invalid where the value is no regular expression */
function expressionOf(table: EvaluatorTable): RegExp {
  try {
    return patternOf(table.text('value'), table.table['case_sensitive'] === false ? 'i' : '');
  } catch (error) {
    if (error instanceof StepProblem) throw table.invalid(`can't be used: ${error.message}`);
    throw error;
  }
}

/** The evaluator's own value, or the one that the case expects. `run` is null to see whether there is one at all. */
function wantedOf(table: EvaluatorTable, run: EvaluatedRun | null): JsonValue | undefined {
  if (table.value !== undefined) return table.value;
  const name = table.text('check_expected');
  return run !== null && isObject(run.expected) ? getOwn(run.expected, name) : undefined;
}

function includes(table: EvaluatorTable, text: string, wanted: string): boolean {
  if (table.table['case_sensitive'] === true) return text.includes(wanted);
  return text.toLowerCase().includes(wanted.toLowerCase());
}

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
