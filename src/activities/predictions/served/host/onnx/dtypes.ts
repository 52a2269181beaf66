import { TactusError } from '../../../../../contract/errors.js';
import type { JsonValue } from '../../../../../contract/json/json.js';
import { toHalves } from './halves.js';

/** Numbers, texts and booleans of a tensor, as the runtime takes and gives them. */
export type TensorData = ArrayLike<number | bigint | string | boolean>;

/** How values of one type get into a tensor. */
interface Dtype {
  /** What a value must be, in words. */
  expected: string;
  /** null: it isn't that. */
  read: (value: JsonValue) => number | bigint | string | null;
  make: (values: readonly (number | bigint | string)[]) => unknown;
}

function integers(bits: number, isSigned: boolean, make: Dtype['make'], isBig = false): Dtype {
  // JSON has no integers past 2^53.
  const most = Math.min(2 ** (isSigned ? bits - 1 : bits) - 1, Number.MAX_SAFE_INTEGER);
  const least = isSigned ? -Math.min(2 ** (bits - 1), Number.MAX_SAFE_INTEGER) : 0;
  return {
    expected: `an integer from ${least} to ${most}`,
    read: (value) => {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) return null;
      return isBig ? BigInt(value) : value;
    },
    make,
  };
}

function floats(most: number, make: Dtype['make']): Dtype {
  return {
    expected: 'a finite number',
    read: (value) => (typeof value === 'number' && Math.abs(value) <= most ? value : null),
    make,
  };
}

const numbers = (values: readonly (number | bigint | string)[]): number[] => values as number[];
const bigs = (values: readonly (number | bigint | string)[]): bigint[] => values as bigint[];

const dtypes: Record<string, Dtype> = {
  float32: floats(3.4028234663852886e38, (values) => Float32Array.from(numbers(values))),
  float64: floats(Number.MAX_VALUE, (values) => Float64Array.from(numbers(values))),
  float16: floats(65_504, (values) => toHalves(numbers(values))),
  int8: integers(8, true, (values) => Int8Array.from(numbers(values))),
  uint8: integers(8, false, (values) => Uint8Array.from(numbers(values))),
  int16: integers(16, true, (values) => Int16Array.from(numbers(values))),
  uint16: integers(16, false, (values) => Uint16Array.from(numbers(values))),
  int32: integers(32, true, (values) => Int32Array.from(numbers(values))),
  uint32: integers(32, false, (values) => Uint32Array.from(numbers(values))),
  int64: integers(64, true, (values) => BigInt64Array.from(bigs(values)), true),
  uint64: integers(64, false, (values) => BigUint64Array.from(bigs(values)), true),
  bool: {
    expected: 'true or false',
    read: (value) => (typeof value === 'boolean' ? Number(value) : null),
    make: (values) => Uint8Array.from(numbers(values)),
  },
  string: {
    expected: 'a text',
    read: (value) => (typeof value === 'string' ? value : null),
    make: (values) => values,
  },
};

export function isDtype(name: string): boolean {
  return Object.hasOwn(dtypes, name);
}

/** @throws TactusError predict_failed for a type that isn't taken here */
export function dtypeOf(name: string, input: string): Dtype {
  const found = isDtype(name) ? dtypes[name] : undefined;
  if (found !== undefined) return found;
  throw new TactusError('predict_failed', `input ${input} is of the type ${name}, which can't be given here`);
}

/** A value of a tensor as JSON: integers past 2^53 as text. */
export function toJsonValue(value: number | bigint | string | boolean, dtype: string): JsonValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return dtype === 'bool' ? Boolean(value) : value;
}
