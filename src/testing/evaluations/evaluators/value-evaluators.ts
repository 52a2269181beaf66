import { Validator } from '@cfworker/json-schema';
import { canonicalJson, getOwn, isObject, type JsonValue } from '../../../contract/json/json.js';
import { problemIf, type Evaluator, type Judgement, type EvaluatorTable } from '../evaluator.js';
import { shown } from '../expected-value.js';

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
      () => `${name} is ${shown(value ?? null)}, no ${wanted}`,
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
      () => `${name} is ${shown(value ?? null)}, expected ${least ?? '…'} to ${most ?? '…'}`,
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
    () => `${name} is ${shown(value ?? null)}, expected ${shown(expected)}`,
  );
}
