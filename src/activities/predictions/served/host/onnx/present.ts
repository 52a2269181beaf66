import type { InferenceSession } from 'onnxruntime-node';
import { TactusError } from '../../../../../contract/errors.js';
import type { JsonObject, JsonValue } from '../../../../../contract/json/json.js';
import { readLabels, type Labels } from '../labels.js';
import { classified, toClassProbabilities } from './classify.js';
import { toJsonValue } from './dtypes.js';
import { rowOf, type GottenTensor, type Gotten } from './gotten.js';

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
  if (softmax !== null && typeof softmax !== 'boolean') throw wrong('softmax must be true or false');
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
    throw wrong(`outputs must be a list of names; the model gives ${names.join(', ')}`);
  const wanted = outputs === null ? [...names] : outputs;
  for (const name of wanted) {
    const meta = session.outputMetadata.find((each) => each.name === name);
    if (meta === undefined) throw wrong(`outputs names ${name}, and the model gives ${names.join(', ')}`);
    if (!meta.isTensor)
      throw wrong(
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
    throw wrong(
      `labels need one output, and there are ${[...row.keys()].join(', ')}: choose one, outputs = { "${name ?? ''}" }`,
    );
  return classified(toClassProbabilities(numbersOf(row, name), labels.length, softmax), labels);
}

function numbersOf(row: Gotten, name: string): number[] {
  const values = flat(row, name);
  const isNumbers = values.every((value) => typeof value === 'number');
  if (isNumbers) return values;
  throw wrong(`output ${name} gives no numbers, which labels could stand for`);
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
      throw wrong(`the model gives ${value} in ${name}, which has no place in a result`);
    return toJsonValue(value, dtype);
  };
  return read(0);
}

function wrong(problem: string): TactusError {
  return new TactusError('predict_failed', problem);
}
