import type { InferenceSession } from 'onnxruntime-node';
import type { JsonObject, JsonValue } from '../../../../../contract/json/json.js';
import { predictFailed, readLabels, type Labels } from '../model-kind.js';
import { toJsonValue, type TensorData } from './dtypes.js';

/** Which outputs are asked for, and what becomes of them. */
export interface Presenter {
  fetches: string[];
  /** @param isRow whether one of many was asked for: then one is given */
  present: (gotten: Gotten, isRow: boolean) => JsonValue;
}

type Present = (row: Gotten) => JsonValue;

/** @throws TactusError predict_failed for settings that don't fit the model */
export function presenterOf(session: InferenceSession, settings: JsonObject): Presenter {
  const fetches = chosen(session, settings['outputs'] ?? null);
  const labels = readLabels(settings['labels'] ?? null);
  const { softmax = null } = settings;
  if (softmax !== null && typeof softmax !== 'boolean') throw predictFailed('softmax must be true or false');
  const pair = settings['outputs'] === undefined ? classifierPair(session) : null;
  if (pair === null && labels === null)
    return {
      fetches,
      present: (gotten, isRow) => (isRow ? plainRow(gotten) : plain(gotten, (tensor) => nested(tensor))),
    };
  const presentRow: Present =
    pair === null
      ? (row) => classifiedOutput(row, labels ?? [], softmax)
      : (row) => classifiedPair(row, pair, labels, softmax);
  return {
    fetches,
    present: (gotten, isRow) => {
      if (isRow) return presentRow(gotten);
      const [count = 1] = [...gotten.values()][0]?.dims ?? [];
      return Array.from({ length: count }, (_, i) => presentRow(rowOf(gotten, i)));
    },
  };
}

function chosen(session: InferenceSession, outputs: JsonValue): string[] {
  const names = session.outputNames;
  const isList =
    Array.isArray(outputs) && outputs.length > 0 && outputs.every((each) => typeof each === 'string');
  if (outputs !== null && !isList)
    throw predictFailed(`outputs must be a list of names; the model gives ${names.join(', ')}`);
  const wanted = outputs === null ? [...names] : outputs;
  for (const name of wanted) {
    const meta = session.outputMetadata.find((each) => each.name === name);
    if (meta === undefined)
      throw predictFailed(`outputs names ${name}, and the model gives ${names.join(', ')}`);
    if (!meta.isTensor)
      throw predictFailed(
        `output ${name} is a sequence or a map, which can't be read here: export the model without them (of scikit-learn: zipmap=False), or choose others by outputs`,
      );
  }
  return wanted;
}

/** What classifiers of scikit-learn give: the class, and a number for each class. */
interface Pair {
  label: string;
  scores: string;
}

function classifierPair({ outputMetadata }: InferenceSession): Pair | null {
  const tensors = outputMetadata.flatMap((meta) => (meta.isTensor ? [meta] : []));
  if (outputMetadata.length !== 2) return null;
  const label = tensors.find(
    ({ type, shape }) => (type === 'int64' || type === 'string') && shape.length === 1,
  );
  const scores = tensors.find(({ type, shape }) => type.startsWith('float') && shape.length === 2);
  return label === undefined || scores === undefined ? null : { label: label.name, scores: scores.name };
}

function classifiedPair(row: Gotten, pair: Pair, labels: Labels | null, softmax: boolean | null): JsonValue {
  const scores = toClassProbabilities(numbersOf(row, pair.scores), labels?.length ?? null, softmax);
  const own = flat(row, pair.label)[0] ?? null;
  if (labels !== null) {
    const answer = classified(scores, labels);
    // What the model itself calls it, where that isn't the likeliest.
    return typeof own === 'string' && labels.includes(own) ? { ...answer, label: own } : answer;
  }
  return { label: own, confidence: Math.max(...scores), scores };
}

function classifiedOutput(row: Gotten, labels: Labels, softmax: boolean | null): JsonValue {
  const [name, ...others] = row.keys();
  if (name === undefined || others.length > 0)
    throw predictFailed(
      `labels need one output, and there are ${[...row.keys()].join(', ')}: choose one, outputs = { "${name ?? ''}" }`,
    );
  return classified(toClassProbabilities(numbersOf(row, name), labels.length, softmax), labels);
}

function numbersOf(row: Gotten, name: string): number[] {
  const values = flat(row, name);
  const isNumbers = values.every((value) => typeof value === 'number');
  if (isNumbers) return values;
  throw predictFailed(`output ${name} gives no numbers, which labels could stand for`);
}

function flat(row: Gotten, name: string): JsonValue[] {
  const tensor = row.get(name);
  if (tensor === undefined) return [];
  return Array.from(tensor.data, (value) => toJsonValue(value, tensor.dtype));
}

/** One of many: without the first dimension, and a single value without any. */
function plainRow(gotten: Gotten): JsonValue {
  return plain(gotten, (tensor, name) => {
    const { dims } = tensor;
    const value = nested(tensor, name);
    if (dims[0] !== 1 || !Array.isArray(value)) return value;
    const row = value[0] ?? null;
    return dims.length === 2 && dims[1] === 1 && Array.isArray(row) ? (row[0] ?? null) : row;
  });
}

function plain(gotten: Gotten, present: (tensor: GottenTensor, name: string) => JsonValue): JsonValue {
  const entries = [...gotten].map(([name, tensor]) => [name, present(tensor, name)] as const);
  const [only] = entries;
  return entries.length === 1 && only !== undefined ? only[1] : Object.fromEntries(entries);
}

function nested({ dtype, dims, data }: GottenTensor, name = 'the output'): JsonValue {
  let at = 0;
  const read = (depth: number): JsonValue => {
    if (depth < dims.length) return Array.from({ length: dims[depth] ?? 0 }, () => read(depth + 1));
    const value = data[at++] ?? 0;
    if (typeof value === 'number' && !Number.isFinite(value))
      throw predictFailed(`the model gives ${value} in ${name}, which has no place in a result`);
    return toJsonValue(value, dtype);
  };
  return read(0);
}

/** What a model gives by one name. */
interface GottenTensor {
  dtype: string;
  dims: readonly number[];
  data: TensorData;
}

export type Gotten = Map<string, GottenTensor>;

/** One of many, as if it had been asked for alone. */
export function rowOf(gotten: Gotten, row: number): Gotten {
  return new Map(
    [...gotten].map(([name, { dtype, dims, data }]) => {
      const size = dims.slice(1).reduce((product, each) => product * each, 1);
      return [name, { dtype, dims: [1, ...dims.slice(1)], data: partOf(data, row * size, (row + 1) * size) }];
    }),
  );
}

/** Numbers without copying them. */
function partOf(data: TensorData, start: number, end: number): TensorData {
  return ArrayBuffer.isView(data)
    ? (data as Float32Array).subarray(start, end)
    : (Array.prototype.slice.call(data, start, end) as TensorData);
}

/** How far probabilities may be from 1 in all. */
const tolerance = 1e-3;

/**
 * A number for each class as probabilities: numbers from 0 to 1 that come to 1 are taken for such, others go through softmax. One
 * number for two classes is that of the second; where it isn't from 0 to 1, through the logistic function.
 * @param count how many classes there are; null: as many as numbers
 * @param softmax whether it is done, whatever the numbers are; null: as they are
 * @throws TactusError predict_failed for another number of classes, or where one is no number
 */
function toClassProbabilities(values: number[], count: number | null, softmax: boolean | null): number[] {
  if (values.some((value) => Number.isNaN(value))) throw predictFailed('the model gives NaN for a class');
  const [only] = values;
  if (values.length === 1 && count === 2 && only !== undefined) {
    const isLogit = softmax ?? !(only >= 0 && only <= 1);
    const second = isLogit ? 1 / (1 + Math.exp(-only)) : only;
    return [1 - second, second];
  }
  if (count !== null && values.length !== count)
    throw predictFailed(`labels has ${count} names, and the model gives ${values.length} numbers`);
  const isSure = values.every((value) => value >= 0 && value <= 1);
  const sum = values.reduce((total, value) => total + value, 0);
  return (softmax ?? !(isSure && Math.abs(sum - 1) <= tolerance)) ? softmaxOf(values) : values;
}

/** `{ label, confidence, scores = { label = p } }`. */
function classified(scores: readonly number[], labels: Labels): JsonObject {
  let best = 0;
  for (const [i, score] of scores.entries()) if (score > (scores[best] ?? 0)) best = i;
  return {
    label: labels[best] ?? '',
    confidence: scores[best] ?? 0,
    scores: Object.fromEntries(labels.map((label, i) => [label, scores[i] ?? 0])),
  };
}

function softmaxOf(values: readonly number[]): number[] {
  const most = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
