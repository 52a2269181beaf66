import { TactusError } from '../../../../../contract/errors.js';
import { getOwn, isObject, type JsonValue } from '../../../../../contract/json/json.js';
import { dtypeOf } from './dtypes.js';
import { shapeText, type WantedInput } from './wanted-inputs.js';

/** What a model is given by one name. */
export interface GivenTensor {
  dtype: string;
  dims: number[];
  values: (number | bigint | string)[];
}

/** One input of a procedure, as the model takes it. */
export interface GivenInput {
  tensors: Map<string, GivenTensor>;
  /** One of what the model takes many of: the first dimension is ours. */
  isRow: boolean;
}

/**
 * A list, or lists of lists, for the only input of a model; a table by names for all of them.
 * @throws TactusError predict_failed naming the input, what the model takes and what was given
 */
export function readInput(wanted: readonly WantedInput[], input: JsonValue, number: number): GivenInput {
  const tensors = new Map<string, GivenTensor>();
  let isRow = true;
  for (const [one, value] of byName(wanted, input, number)) {
    const given = readTensor(one, value, number);
    tensors.set(one.name, given.tensor);
    isRow &&= given.isRow;
  }
  return { tensors, isRow };
}

function byName(
  wanted: readonly WantedInput[],
  input: JsonValue,
  number: number,
): [WantedInput, JsonValue][] {
  const names = wanted.map(({ name }) => name);
  const [only] = wanted;
  if (!isObject(input) || Object.keys(input).length === 0) {
    if (only !== undefined && wanted.length === 1) return [[only, input]];
    throw wrong(number, `must be a table with the fields ${names.join(', ')}`);
  }
  const odd = Object.keys(input).find((name) => !names.includes(name));
  if (odd !== undefined) throw wrong(number, `has a field ${odd}, and the model takes ${names.join(', ')}`);
  return wanted.map((one) => {
    const value = getOwn(input, one.name);
    if (value === undefined)
      throw wrong(number, `lacks the field ${one.name}; the model takes ${names.join(', ')}`);
    return [one, value];
  });
}

function readTensor(
  { name, dtype, shape }: WantedInput,
  value: JsonValue,
  number: number,
): { tensor: GivenTensor; isRow: boolean } {
  const what = `input ${number}, for ${name},`;
  const measured = measure(value, what);
  const fitted = fit(measured.dims, shape);
  if (fitted === null)
    throw new TactusError(
      'predict_failed',
      `${what} must have the shape ${shapeText(shape ?? [])}, and it has ${shapeText(measured.dims)}`,
    );
  const { read, expected } = dtypeOf(dtype, name);
  const values = measured.values.map((each, i) => {
    const found = read(each);
    if (found !== null) return found;
    const shown = JSON.stringify(each) ?? 'nothing';
    throw new TactusError(
      'predict_failed',
      `${what} must be of ${dtype}, and its value ${i + 1} is ${shown.slice(0, 40)}: each must be ${expected}`,
    );
  });
  return { tensor: { dtype, dims: fitted.dims, values }, isRow: fitted.isRow };
}

/** What was given, with the first dimension where it is one of many; null where it doesn't fit. */
function fit(dims: number[], shape: (number | null)[] | null): { dims: number[]; isRow: boolean } | null {
  if (shape === null) return { dims, isRow: false };
  const [, second = null] = shape;
  const isColumn = dims.length === 0 && shape.length === 2 && (second === 1 || second === null);
  const isRow = dims.length === shape.length - 1 || isColumn;
  const whole = isColumn ? [1, 1] : isRow ? [1, ...dims] : dims;
  const fits = whole.length === shape.length && shape.every((size, i) => size === null || size === whole[i]);
  return fits ? { dims: whole, isRow } : null;
}

function wrong(number: number, problem: string): TactusError {
  return new TactusError('predict_failed', `input ${number} ${problem}`);
}

/** Lists of lists as a tensor has them. */
interface Measured {
  /** None for a single value. */
  dims: number[];
  /** Row by row. */
  values: JsonValue[];
}

/** @throws TactusError predict_failed for an empty list, or lists of different lengths beside each other */
function measure(value: JsonValue, what: string): Measured {
  const values: JsonValue[] = [];
  const dims: number[] = [];
  const read = (each: JsonValue, depth: number): void => {
    if (isEmpty(each)) throw new TactusError('predict_failed', `${what} has an empty list in it`);
    if (!Array.isArray(each)) {
      if (dims.length > depth) throw ragged(what);
      values.push(each);
      return;
    }
    if (values.length === 0 && dims.length === depth) dims.push(each.length);
    if (dims[depth] !== each.length) throw ragged(what);
    for (const inner of each) read(inner, depth + 1);
  };
  read(value, 0);
  return { dims, values };
}

/** An empty table of Lua's is no list, for JSON. */
function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value !== null && typeof value === 'object' && Object.keys(value).length === 0;
}

function ragged(what: string): TactusError {
  return new TactusError('predict_failed', `${what} has lists of different lengths, and a tensor has one`);
}
