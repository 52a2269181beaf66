import { TactusError } from '../../../../contract/errors.js';
import type { JsonValue } from '../../../../contract/json/json.js';

/** Values of one type, in the order of a dataset of this shape. */
export interface Written {
  /** Integers and floats of 64 bits, or texts of any length. */
  dtype: '<q' | '<d' | 'S';
  shape: number[];
  data: BigInt64Array | Float64Array | string[];
}

/**
 * A value, a list, or lists of lists of the same length.
 * @throws TactusError file_failed for what is no array
 */
export function arrayOf(data: JsonValue, what: string): Written {
  const refuse = (problem: string): never => {
    throw new TactusError('file_failed', `${what} can't be written: ${problem}`);
  };
  const shape: number[] = [];
  for (let each = data; Array.isArray(each); each = each[0] ?? null) {
    shape.push(each.length);
    if (each.length === 0) break;
  }
  const flat: (number | string)[] = [];
  const collect = (value: JsonValue, depth: number): void => {
    if (
      Array.isArray(value) !== depth < shape.length ||
      (Array.isArray(value) && value.length !== shape[depth])
    )
      refuse('its lists are not of the same length');
    if (Array.isArray(value)) for (const each of value) collect(each, depth + 1);
    else if (typeof value === 'number' || typeof value === 'string') flat.push(value);
    // A dataset of them would be read as numbers here, and 0 is true in Lua.
    else if (typeof value === 'boolean') refuse('booleans have no type in HDF5; use 0 and 1');
    else
      refuse(
        value === null ? 'a value is missing' : 'it holds a table with names; only lists can be written',
      );
  };
  collect(data, 0);
  const texts = flat.filter((each) => typeof each === 'string');
  if (texts.length === 0) {
    const numbers = flat as number[];
    return numbers.length > 0 && numbers.every(Number.isSafeInteger)
      ? { dtype: '<q', shape, data: BigInt64Array.from(numbers, BigInt) }
      : { dtype: '<d', shape, data: Float64Array.from(numbers) };
  }
  if (texts.length < flat.length) refuse('it holds numbers and texts');
  // They are kept with a zero behind them.
  if (texts.some((each) => each.includes('\0'))) refuse('a text holds a zero byte');
  return { dtype: 'S', shape, data: texts };
}
