import type { Dataset, Metadata } from 'h5wasm';
import { TactusError } from '../../../../contract/errors.js';
import type { JsonValue } from '../../../../contract/json/json.js';
import { plainNumber } from './plain.js';

/** The library's numbers of what has values: integers, floats, texts, rows of fields, enumerations, lists, arrays. */
const known = [0, 1, 3, 6, 8, 9, 10];

/**
 * What a dataset holds, in lists of lists; a single value where it has no dimensions.
 * @throws TactusError file_failed for a type that has no form here
 */
export function plainDataset(dataset: Dataset, what: string): JsonValue {
  const { metadata, shape } = dataset;
  const refuse = (): never => {
    throw new TactusError('file_failed', `${what} is of a type that can't be read`);
  };
  if (!known.includes(metadata.type)) refuse();
  if (isHalf(metadata))
    throw new TactusError(
      'file_failed',
      `${what} holds floats of 16 bits, which can't be read: save them as float32`,
    );
  if (shape === null) return null;
  if (shape.includes(0)) return nest([], shape);
  const { value } = dataset;
  const isFlag = isBoolean(metadata);
  const plain = (each: unknown): JsonValue => {
    if (typeof each === 'number' || typeof each === 'bigint')
      return isFlag ? Number(each) === 1 : plainNumber(each);
    if (typeof each === 'string' || typeof each === 'boolean') return each;
    if (Array.isArray(each)) return each.map(plain);
    if (ArrayBuffer.isView(each)) return [...(each as unknown as Iterable<number>)].map(plain);
    return each === null || each === undefined ? null : refuse();
  };
  const values = plain(value);
  return shape.length === 0 ? values : nest(Array.isArray(values) ? values : [values], shape);
}

/** Rows of rows, of values in one row. */
function nest(values: readonly JsonValue[], [length = 0, ...inner]: readonly number[]): JsonValue {
  if (inner.length === 0) return [...values];
  const size = inner.reduce((product, each) => product * each, 1);
  return Array.from({ length }, (_, i) => nest(values.slice(i * size, (i + 1) * size), inner));
}

function isHalf({ type, size }: Metadata): boolean {
  return type === 1 && size === 2;
}

/** As h5py writes them. */
function isBoolean({ enum_type: type }: Metadata): boolean {
  const { FALSE, TRUE, ...others }: Record<string, number> = type?.members ?? {};
  return FALSE === 0 && TRUE === 1 && Object.keys(others).length === 0;
}
