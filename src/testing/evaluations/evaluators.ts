import { Validator } from '@cfworker/json-schema';
import { canonicalJson, getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import {
  problemIf,
  type EvaluatedRun,
  type Evaluator,
  type EvaluatorTable,
  type Judgement,
} from './evaluator.js';
import { asText, shortJson } from './expected-value.js';
import { patternOf, StepProblem } from '../specifications/step-definition.js';
import { turnsOf } from '../../contract/specifications/scenario.js';

/** `field.contains{field = "greeting", value = "Hello"}`, or what the case expects under `check_expected`. */
export function contains(table: EvaluatorTable): Evaluator {
  wantedOf(table, null);
  return (run) => {
    const { name, text } = table.subjectText(run);
    const wanted = asText(wantedOf(table, run) ?? null);
    return problemIf(
      !includes(table, text, wanted),
      () => `${name} is ${shortJson(text)}, which has no ${shortJson(wanted)}`,
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
      () => `${name} is ${shortJson(text)}, which has none of ${wanted.map(shortJson).join(', ')}`,
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
      () => `${name} is ${shortJson(text)}: no match of ${table.text('value')}`,
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

/** `field.equals_expected{}`: the output, or one field of it, is what the case expects. */
export function equalsExpected(table: EvaluatorTable): Evaluator {
  const field = table.optionalText('field');
  return (run) => {
    const { name, value } = table.subjectOf(run);
    if (run.expected === null) return { unknown: 'the case expects nothing' };
    const expected = field === null || !isObject(run.expected) ? run.expected : getOwn(run.expected, field);
    if (expected === undefined) return { unknown: `the case expects nothing of ${name}` };
    return differs(name, value, expected);
  };
}

/** `field.exact_match{field = "label", value = "spam"}`; without a value like `equals_expected`. */
export function exactMatch(table: EvaluatorTable): Evaluator {
  const { value: wanted } = table;
  if (wanted === undefined) return equalsExpected(table);
  return (run) => {
    const { name, value } = table.subjectOf(run);
    return differs(name, value, wanted);
  };
}

/** `field.is_instance{field = "n", value = "number"}`: Lua's names of types, or Python's. */
export function isInstance(table: EvaluatorTable): Evaluator {
  const wanted = table.text('value');
  const fits = Object.hasOwn(types, wanted) ? types[wanted] : undefined;
  if (fits === undefined)
    throw table.invalid(`knows no type ${wanted}; there are ${Object.keys(types).join(', ')}`);
  return (run) => {
    const { name, value } = table.subjectOf(run);
    return problemIf(
      value === undefined || !fits(value),
      () => `${name} is ${shortJson(value ?? null)}, no ${wanted}`,
    );
  };
}

/** `field.range{field = "score", value = {min = 0, max = 1}}`. */
export function range(table: EvaluatorTable): Evaluator {
  const { value } = table;
  const limits = value !== undefined && isObject(value) ? value : {};
  const least = typeof limits['min'] === 'number' ? limits['min'] : table.optionalNumber('min_value');
  const most = typeof limits['max'] === 'number' ? limits['max'] : table.optionalNumber('max_value');
  if (least === null && most === null) throw table.invalid('needs value = { min = …, max = … }');
  return (run) => {
    const { name, value } = table.subjectOf(run);
    const number = typeof value === 'number' ? value : Number.NaN;
    const isInside = number >= (least ?? -Infinity) && number <= (most ?? Infinity);
    return problemIf(
      !isInside,
      () => `${name} is ${shortJson(value ?? null)}, expected ${least ?? '…'} to ${most ?? '…'}`,
    );
  };
}

/** `field.json_schema{json_schema = {…}}`. */
export function jsonSchema(table: EvaluatorTable): Evaluator {
  const schema = getOwn(table.table, 'json_schema') ?? table.value;
  if (schema === undefined || !isObject(schema)) throw table.invalid('needs a json_schema');
  const validator = new Validator(schema);
  return (run) => {
    const { name, value } = table.subjectOf(run);
    const { valid, errors } = validator.validate(value ?? null);
    return problemIf(!valid, () => `${name} doesn't follow the schema: ${errors[0]?.error ?? ''}`);
  };
}

const types: Record<string, (value: JsonValue) => boolean> = {
  string: (value) => typeof value === 'string',
  str: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  float: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  int: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  bool: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  list: (value) => Array.isArray(value),
  object: (value) => isObject(value),
  dict: (value) => isObject(value),
};

function differs(name: string, value: JsonValue | undefined, expected: JsonValue): Judgement {
  return problemIf(
    value === undefined || canonicalJson(value) !== canonicalJson(expected),
    () => `${name} is ${shortJson(value ?? null)}, expected ${shortJson(expected)}`,
  );
}

/** `field.max_iterations{value = 5}`: turns of all agents. */
export function maxIterations(table: EvaluatorTable): Evaluator {
  const most = table.number('value', 'max_iterations');
  return (run) =>
    problemIf(
      turnsOf(run.observed) > most,
      () => `there were ${turnsOf(run.observed)} iterations, expected ${most} at most`,
    );
}

/** `field.max_cost{value = 0.01}`, in US dollars. */
export function maxCost(table: EvaluatorTable): Evaluator {
  const most = table.number('value', 'max_cost');
  return ({ costUsd }) => {
    if (costUsd === null) return { unknown: 'what the model costs is not known' };
    return problemIf(costUsd > most, () => `it cost ${costUsd} $, expected ${most} $ at most`);
  };
}

/** `field.max_tokens{value = 1000}`: of questions and answers. */
export function maxTokens(table: EvaluatorTable): Evaluator {
  const most = table.number('value', 'max_tokens');
  return ({ tokens }) => problemIf(tokens > most, () => `it took ${tokens} tokens, expected ${most} at most`);
}

/** `field.tool_called{value = "search", min_value = 1, max_value = 3}`. */
export function toolCalled(table: EvaluatorTable): Evaluator {
  const tool = table.text('value');
  return ({ observed }) => {
    const count = observed.toolCalls.filter((call) => call.tool === tool).length;
    return outside(table, count, `the tool ${tool} was called ${count} times`);
  };
}

/** `field.agent_turns{field = "writer", min_value = 1, max_value = 3}`; without a name, of all agents. */
export function agentTurns(table: EvaluatorTable): Evaluator {
  const agent = table.optionalText('field');
  return (run) => {
    const count = agent === null ? turnsOf(run.observed) : (run.observed.agentTurns[agent] ?? 0);
    return outside(table, count, `${agent ?? 'all agents'} took ${count} turns`);
  };
}

/** `field.state_check{field = "counter", value = 3}`: the state at the end. */
export function stateCheck(table: EvaluatorTable): Evaluator {
  const name = table.text('field');
  const wanted = table.value ?? null;
  return ({ state }) => {
    const actual = getOwn(state, name) ?? null;
    return problemIf(
      canonicalJson(actual) !== canonicalJson(wanted),
      () => `the state ${name} is ${shortJson(actual)}, expected ${shortJson(wanted)}`,
    );
  };
}

function outside(table: EvaluatorTable, count: number, what: string): Judgement {
  const least = table.optionalNumber('min_value') ?? 1;
  const most = table.optionalNumber('max_value') ?? Infinity;
  return problemIf(
    count < least || count > most,
    () => `${what}, expected ${least} to ${most === Infinity ? '…' : most}`,
  );
}
