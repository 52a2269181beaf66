import { getOwn, isObject, type JsonValue } from '../../contract/json.js';
import { problemIf, type EvaluatedRun, type Evaluator, type EvaluatorTable } from '../evaluator.js';
import { asText, shown } from '../expected-value.js';
import { patternOf } from '../pattern-of.js';
import { StepProblem } from '../step-definition.js';

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

/** `field.min_length{field = "greeting", value = 1}`, in characters. */
export function minLength(table: EvaluatorTable): Evaluator {
  const least = table.number('value');
  return (run) => {
    const { name, text } = table.subjectText(run);
    return problemIf(
      [...text].length < least,
      () => `${name} has ${[...text].length} characters, expected ${least} or more`,
    );
  };
}

/** `field.max_length{value = 500}`, in characters. */
export function maxLength(table: EvaluatorTable): Evaluator {
  const most = table.number('value');
  return (run) => {
    const { name, text } = table.subjectText(run);
    return problemIf(
      [...text].length > most,
      () => `${name} has ${[...text].length} characters, expected ${most} at most`,
    );
  };
}

/** `field.regex{field = "id", value = "^A-\\d+"}`. */
export function regex(table: EvaluatorTable): Evaluator {
  const expression = expressionOf(table);
  return (run) => {
    const { name, text } = table.subjectText(run);
    return problemIf(
      !expression.test(text),
      () => `${name} is ${shown(text)}: no match of ${expression.source}`,
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
