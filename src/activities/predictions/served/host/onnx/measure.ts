import { TactusError } from '../../../../../contract/errors.js';
import type { JsonValue } from '../../../../../contract/json/json.js';

/** Lists of lists as a tensor has them. */
export interface Measured {
  /** None for a single value. */
  dims: number[];
  /** Row by row. */
  values: JsonValue[];
}

/** @throws TactusError predict_failed for an empty list, or lists of different lengths beside each other */
export function measure(value: JsonValue, what: string): Measured {
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
