import type { InferenceSession } from 'onnxruntime-node';
import { TactusError } from '../../../../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../../../../contract/json/json.js';
import { predictFailed } from '../model-kind.js';
import { dtypeOf, isDtype } from './dtypes.js';

/** What a model is given by one name. */
interface GivenTensor {
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
    throw wrongInput(number, `must be a table with the fields ${names.join(', ')}`);
  }
  const odd = Object.keys(input).find((name) => !names.includes(name));
  if (odd !== undefined)
    throw wrongInput(number, `has a field ${odd}, and the model takes ${names.join(', ')}`);
  return wanted.map((one) => {
    const value = getOwn(input, one.name);
    if (value === undefined)
      throw wrongInput(number, `lacks the field ${one.name}; the model takes ${names.join(', ')}`);
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

function wrongInput(number: number, problem: string): TactusError {
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

/** What a model takes by one name. */
interface WantedInput {
  name: string;
  dtype: string;
  /** null for a length that may be any; null altogether: nobody says. */
  shape: (number | null)[] | null;
}

/**
 * What a model takes, by its own word, and by the setting `inputs` where it says nothing.
 * @throws TactusError predict_failed where the two don't agree
 */
export function wantedInputs(session: InferenceSession, settings: JsonObject): WantedInput[] {
  const declared = settings['inputs'] ?? {};
  if (!isObject(declared) && !(Array.isArray(declared) && declared.length === 0))
    throw predictFailed('inputs must be a table such as { x = { dtype = "float32", shape = { 1, 4 } } }');
  const said: JsonObject = isObject(declared) ? declared : {};
  const odd = Object.keys(said).find((name) => !session.inputNames.includes(name));
  if (odd !== undefined)
    throw predictFailed(`inputs names ${odd}, and the model takes ${session.inputNames.join(', ')}`);
  return session.inputMetadata.map((meta) => {
    const { name } = meta;
    if (!meta.isTensor) throw predictFailed(`input ${name} is no tensor, and nothing else can be given`);
    const { dtype, shape } = readDeclared(getOwn(said, name) ?? null, name);
    if (dtype !== null && dtype !== meta.type)
      throw predictFailed(`inputs says ${dtype} of ${name}, and the model takes ${meta.type}`);
    return { name, dtype: meta.type, shape: joined(shapeOf(meta.shape), shape, name) };
  });
}

/** The runtime says nothing of an unknown shape, and nothing of a single value's. */
function shapeOf(shape: readonly (number | string)[]): (number | null)[] | null {
  if (shape.length === 0) return null;
  return shape.map((size) => (typeof size === 'number' && size >= 0 ? size : null));
}

function readDeclared(
  given: JsonValue,
  name: string,
): { dtype: string | null; shape: (number | null)[] | null } {
  if (given === null) return { dtype: null, shape: null };
  const { dtype = null, shape = null } = isObject(given) ? given : {};
  if (!isObject(given) || (dtype !== null && !(typeof dtype === 'string' && isDtype(dtype))))
    throw predictFailed(
      `inputs must say of ${name} { dtype = "float32", shape = { 1, 4 } }, one of them or both`,
    );
  if (shape === null) return { dtype, shape };
  if (!Array.isArray(shape))
    throw predictFailed(`inputs must say the shape of ${name} as a list, such as { 1, 4 }`);
  return { dtype, shape: shape.map((size) => (typeof size === 'number' && size > 0 ? size : null)) };
}

function joined(
  own: (number | null)[] | null,
  declared: (number | null)[] | null,
  name: string,
): (number | null)[] | null {
  if (own === null || declared === null) return own ?? declared;
  const differ = own.some(
    (size, i) => size !== null && (declared[i] ?? null) !== null && size !== declared[i],
  );
  if (own.length !== declared.length || differ)
    throw predictFailed(
      `inputs says ${shapeText(declared)} of ${name}, and the model takes ${shapeText(own)}`,
    );
  return own.map((size, i) => size ?? declared[i] ?? null);
}

/** `[any, 4]`. */
function shapeText(shape: readonly (number | null)[]): string {
  return `[${shape.map((size) => size ?? 'any').join(', ')}]`;
}
